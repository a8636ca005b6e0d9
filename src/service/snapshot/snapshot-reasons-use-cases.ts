import { maximumReasons } from '../../contract/reason.ts';
import { listEnvironmentReasons } from '../policy/judge-environment.ts';
import { orderReasons, type JudgementReason } from '../attestation/reasons.ts';
import type { JudgedReference, SnapshotReference } from './snapshot-records.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';

/**
 * Why a snapshot is not compliant, the worst first. A logical environment is not compliant either if a member is not, so
 * its members' reasons are among its own.
 *
 * @param members the snapshots of the members of a logical environment; empty for all others
 */
export async function loadSnapshotReasons(
  { snapshots }: Pick<ReadTransaction, 'snapshots'>,
  org: string,
  snapshot: SnapshotReference,
  members: readonly SnapshotReference[],
): Promise<readonly JudgementReason[]> {
  const [own] = await snapshots.listJudgements(org, [snapshot]);
  if (own === undefined) return [];
  const reasons = [...listEnvironmentReasons(own.judgement, own.environment)];
  const failed = (await snapshots.findVerdicts(org, members)).filter(({ compliant }) => compliant === false);
  // A judgement can be large, so reading stops when a response is full.
  for (const { environment, number } of failed) {
    if (reasons.length > maximumReasons) break;
    const judged = await snapshots.listJudgements(org, [{ environment, number }]);
    reasons.push(...judged.flatMap(listMemberReasons));
  }
  return orderReasons(reasons);
}

function listMemberReasons({ environment, judgement }: JudgedReference): readonly JudgementReason[] {
  return listEnvironmentReasons(judgement, environment).map((reason) => ({
    ...reason,
    about: reason.about === environment ? environment : `${reason.about} in ${environment}`,
    source: { ...reason.source, member: environment },
  }));
}
