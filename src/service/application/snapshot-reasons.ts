import { listEnvironmentReasons } from '../domain/policy/judge-environment.ts';
import { orderReasons, type JudgementReason } from '../domain/reasons.ts';
import type { JudgedReference, SnapshotReference } from '../storage/snapshots.ts';
import type { ReadTransaction } from '../storage/storage.ts';

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
  const [own, ...others] = await snapshots.listJudgements(org, [snapshot, ...members]);
  if (own === undefined) return [];
  return orderReasons([
    ...listEnvironmentReasons(own.judgement, own.environment),
    ...others.flatMap(listMemberReasons),
  ]);
}

function listMemberReasons({ environment, judgement }: JudgedReference): readonly JudgementReason[] {
  return listEnvironmentReasons(judgement, environment).map((reason) => ({
    ...reason,
    about: reason.about === environment ? environment : `${reason.about} in ${environment}`,
    source: { ...reason.source, member: environment },
  }));
}
