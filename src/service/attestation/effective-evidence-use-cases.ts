import { toDay } from '../../runtime/clock.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import {
  adminRecorder,
  type AttributedRecord,
  listValidRecorders,
  toRecorderId,
  type TrailIdentity,
} from '../requirement/recorder.ts';
import { listArtifactRecorders, type Template } from '../template/template.ts';
import { toTrailIdentity, type Trail } from '../trail/trail.ts';
import type { AttestationSummary } from './attestation.ts';
import type { FlowReference } from './attestation-records.ts';
import type { Scope } from './evidence-scope.ts';
import { findOverrideEnd } from './facts.ts';

export type EvidenceRecords = Pick<ReadTransaction, 'attestations' | 'loginRules' | 'accounts'>;

interface EvidenceQuery extends FlowReference {
  /** The time of the judgement, in Unix seconds. */
  readonly at: number;
  /** The recorders that requirements name. */
  readonly from?: readonly string[];
}

type EffectiveEvidence = AttestationSummary & Pick<AttributedRecord, 'countsFrom'>;

/** Evidence with the commit and the repository of its trail, if requirements need them to say what it counts from. */
type LocatedEvidence = AttestationSummary & { readonly about?: TrailIdentity };

/**
 * The evidence that counts in each of the scopes: the latest of each name, and the latest of each recorder. If that is an
 * override that has ended, the original counts again, and its faults say so.
 */
export async function listEffectiveEvidence(
  records: EvidenceRecords,
  { org, flow, at, from = [] }: EvidenceQuery,
  scopes: readonly Scope[],
): Promise<ReadonlyMap<Scope, readonly EffectiveEvidence[]>> {
  const { attestations } = records;
  const ids = from.length === 0 ? new Set<string>() : await findRecorderIds(records, org, from);
  const [current, recorded] = await Promise.all([
    attestations.listCurrent({ org, flow }, scopes),
    ids.size === 0 ? new Map<Scope, never>() : attestations.listRecordedBy({ org, flow }, scopes, [...ids]),
  ]);
  const restore = await findRestored(records, org, [...current.values(), ...recorded.values()].flat(), at);
  return new Map(
    scopes.map((scope) => {
      // The same evidence can be in both. That of recorders comes last, because it replaces the other.
      const all: readonly LocatedEvidence[] = [...(current.get(scope) ?? []), ...(recorded.get(scope) ?? [])];
      const restored = new Map(all.flatMap((one) => restore(one) ?? []).map((one) => [one.sequence, one]));
      const evidence = all.map(({ about, ...one }): EffectiveEvidence => {
        const effective = restore(one) ?? restored.get(one.sequence) ?? one;
        const countsFrom = about === undefined ? [] : listValidRecorders(effective.recorders ?? [], ids, about);
        return countsFrom.length === 0 ? effective : { ...effective, countsFrom };
      });
      return [scope, [...new Map(evidence.map((one) => [one.sequence, one])).values()]];
    }),
  );
}

/** Returns a function that finds the original of an override that has ended; undefined for all other evidence. */
export async function findRestored(
  { attestations }: Pick<ReadTransaction, 'attestations'>,
  org: string,
  evidence: readonly AttestationSummary[],
  at: number,
): Promise<(one: AttestationSummary) => AttestationSummary | undefined> {
  const today = toDay(at);
  const ended = evidence.flatMap((override) => {
    const end = findOverrideEnd(override.facts);
    return end !== undefined && end.until < today ? [{ override, end }] : [];
  });
  if (ended.length === 0) return () => undefined;
  const originals = await attestations.listByIds(
    org,
    ended.map(({ end }) => end.original),
  );
  const byId = new Map(originals.map((original) => [original.id, original]));
  const restored = new Map(
    ended.map(({ override: { id, reportedBy }, end: { until, original } }) => [
      id,
      addFault(byId.get(original), `the override by ${reportedBy} ended on ${until}`),
    ]),
  );
  return (one) => restored.get(one.id);
}

function addFault(original: AttestationSummary | undefined, value: string): AttestationSummary {
  if (original === undefined) throw new TypeError('the original of an override is missing');
  const { verdict, reason, faults } = original;
  const own = faults.length > 0 || verdict === 'compliant' ? faults : [{ value: reason }];
  return { ...original, faults: [...own, { value }] };
}

/** Marks which of the reports to a trail count from recorders that its template names. */
export async function markReports(
  records: Pick<ReadTransaction, 'loginRules' | 'accounts'>,
  trail: Pick<Trail, 'org' | 'name' | 'report'>,
  template: Template,
  reports: readonly ReportedArtifact[],
): Promise<readonly ReportedArtifact[]> {
  const from = listArtifactRecorders(template);
  if (from.length === 0) return reports;
  const ids = await findRecorderIds(records, trail.org, from);
  const about = toTrailIdentity(trail);
  return reports.map((report) => ({ ...report, countsFrom: listValidRecorders(report.recorders ?? [], ids, about) }));
}

/** Marks whether a report counts from recorders that the template of its trail names. */
export async function markReport(
  records: Pick<ReadTransaction, 'loginRules' | 'accounts' | 'trails'>,
  report: ReportedArtifact,
  template: Template,
): Promise<ReportedArtifact> {
  if (listArtifactRecorders(template).length === 0) return report;
  const { org, flow } = report;
  const trail = await records.trails.find({ org, flow, name: report.report.trail_name });
  const [marked = report] = trail === undefined ? [] : await markReports(records, trail, template, [report]);
  return marked;
}

/** The ids of those of the recorders that exist, by the names in `from`; and that of admins, who count for all. */
async function findRecorderIds(
  { loginRules, accounts }: Pick<ReadTransaction, 'loginRules' | 'accounts'>,
  org: string,
  from: readonly string[],
): Promise<ReadonlySet<string>> {
  const namesOf = (kind: string): readonly string[] =>
    from.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length));
  const [rules, serviceAccounts] = await Promise.all([
    loginRules.findTimes(org, namesOf('rule:')),
    accounts.findServiceAccountTimes(org, namesOf('service-account:')),
  ]);
  const toIds = (kind: string, found: ReadonlyMap<string, number>): readonly string[] =>
    [...found].map(([name, createdAt]) => toRecorderId(`${kind}${name}`, createdAt));
  return new Set([adminRecorder, ...toIds('rule:', rules), ...toIds('service-account:', serviceAccounts)]);
}
