import type { EvidenceSubject } from '../../environment/environment-records.ts';
import type { WriteTransaction } from '../database/storage.ts';
import type { JudgingContext } from './judging.ts';
import { SnapshotUpdates } from './snapshot-updates.ts';

/**
 * Judges those environments again that run artifacts to which new evidence applies. Call it in the transaction that
 * records the evidence.
 *
 * @throws MissingMatchesError
 */
export async function judgeEvidence(
  transaction: WriteTransaction,
  subject: EvidenceSubject,
  at: number,
  context: JudgingContext,
): Promise<void> {
  const { org } = subject;
  const { environments } = transaction;
  if (!(await environments.hasPolicies(org))) return;
  const running = await environments.listRunning(subject);
  if (running.length === 0) return;
  const logical = await environments.listIncluding(org, running);
  await new SnapshotUpdates(transaction, context).update([...running, ...logical], { org, at, forced: false });
}
