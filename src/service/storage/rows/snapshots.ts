import type { EnvironmentJudgement, PolicyBreach } from '../../domain/policy/judge-environment.ts';
import { number, text, type Row } from '../rows.ts';
import type { JudgedReference, PendingSnapshot, RunningEvent, SnapshotVerdict, StoredSnapshot } from '../snapshots.ts';

/** Converts a row to a snapshot. */
export function toStoredSnapshot(row: Row): StoredSnapshot {
  return {
    org: text(row, 'org'),
    environment: text(row, 'environment'),
    number: number(row, 'number'),
    from: number(row, 'made_at'),
    judgement: parseJudgement(text(row, 'judgement')),
    content: text(row, 'content'),
  };
}

/** A judgement as it was written by this service. Earlier versions kept a sentence as the reason of a breach. */
function parseJudgement(json: string): EnvironmentJudgement {
  const judgement = JSON.parse(json) as EnvironmentJudgement & { readonly breaches: readonly StoredBreach[] };
  return { ...judgement, breaches: judgement.breaches.map(toBreach) };
}

type StoredBreach = Omit<PolicyBreach, 'reason'> & { readonly reason: PolicyBreach['reason'] | string };

function toBreach({ reason, ...breach }: StoredBreach): PolicyBreach {
  const { name, policy } = breach;
  if (typeof reason !== 'string') return { ...breach, reason };
  return {
    ...breach,
    reason: { state: 'failed', about: name, rule: `policy ${policy}`, value: reason, source: { isUnclear: true } },
  };
}

/** Converts a row to the judgement of a snapshot. */
export function toJudgedReference(row: Row): JudgedReference {
  return {
    environment: text(row, 'environment'),
    number: number(row, 'number'),
    judgement: parseJudgement(text(row, 'judgement')),
  };
}

/** Converts a row to a snapshot without its content. */
export function toSnapshotVerdict(row: Row): SnapshotVerdict {
  return {
    environment: text(row, 'environment'),
    number: number(row, 'number'),
    from: number(row, 'made_at'),
    compliant: row['compliant'] === null ? null : number(row, 'compliant') === 1,
  };
}

/**
 * Converts a row that says when an artifact started (`is_start` is 1) or stopped running: `number` of the snapshot,
 * `at` in Unix seconds, `fingerprint` and `name`.
 */
export function toRunningEvent(row: Row): RunningEvent {
  return {
    snapshot: number(row, 'number'),
    at: number(row, 'at'),
    type: number(row, 'is_start') === 1 ? 'started' : 'exited',
    fingerprint: text(row, 'fingerprint'),
    name: text(row, 'name'),
  };
}

/** Converts a row to a pending snapshot. */
export function toPendingSnapshot(row: Row): PendingSnapshot {
  return {
    org: text(row, 'org'),
    environment: text(row, 'environment'),
    since: number(row, 'since'),
    forced: number(row, 'forced') === 1,
  };
}
