import type { EnvironmentJudgement } from '../../domain/policy/judge-environment.ts';
import { number, text, type Row } from '../rows.ts';
import type { PendingSnapshot, RunningEvent, SnapshotVerdict, StoredSnapshot } from '../snapshots.ts';

/** Converts a row to a snapshot. */
export function toStoredSnapshot(row: Row): StoredSnapshot {
  return {
    org: text(row, 'org'),
    environment: text(row, 'environment'),
    number: number(row, 'number'),
    from: number(row, 'made_at'),
    // It was written by this service, in this form.
    judgement: JSON.parse(text(row, 'judgement')) as EnvironmentJudgement,
    content: text(row, 'content'),
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
