import { unixSeconds } from '../../runtime/clock.ts';
import { truncate } from '../../runtime/truncate.ts';
import { findFirstOverrideEnd } from '../attestation/facts.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import type { Flow } from '../flow/flow.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import type { ChangedSubject, Trail, TrailDetails, TrailReference } from './trail.ts';
import { loadTrailStates } from './trail-state-use-cases.ts';

/**
 * Marks what a change may affect, which is judged again in the background: answers to GitHub, and verdicts on trails. Call
 * it in the transaction that makes the change.
 */
export async function noteChange(
  { githubAnswers, trails }: Pick<WriteTransaction, 'githubAnswers' | 'trails'>,
  changed: ChangedSubject,
  at: number,
): Promise<void> {
  await Promise.all([githubAnswers.noteChange(changed, at), trails.noteChange(changed, at)]);
}

/** Judges a trail after a report to it, in the transaction of the report. */
export async function judgeReported(
  transaction: WriteTransaction,
  reference: TrailReference,
  at: number,
): Promise<void> {
  const { flows, trails } = transaction;
  const [flow, trail] = await Promise.all([flows.find(reference.org, reference.flow), trails.find(reference)]);
  if (flow !== undefined && trail !== undefined) await judgeTrails(transaction, flow, [trail], at);
}

/** How many trails are judged in one transaction, for which others of the organization wait. */
const batchSize = 25;

/** Judges some of the marked trails of an organization again. */
export async function judgeMarked(transaction: WriteTransaction, org: string, at: number): Promise<void> {
  const taken = await transaction.trails.takeToRejudge(org, at, batchSize);
  for (const [name, trails] of Map.groupBy(taken, ({ flow }) => flow)) {
    const flow = await transaction.flows.find(org, name);
    if (flow !== undefined) await judgeTrails(transaction, flow, trails, at);
  }
}

async function judgeTrails(
  transaction: WriteTransaction,
  flow: Flow,
  trails: readonly Trail[],
  at: number,
): Promise<void> {
  const states = await loadTrailStates(transaction, flow, trails, at);
  const save = states.map((one) => {
    const { state, reasons } = one.judgement;
    const verdict = { state, faults: listFaults(reasons), changesAt: findFirstEnd([one]) };
    return transaction.trails.saveVerdict(one.trail, verdict, at);
  });
  await Promise.all(save);
}

/** The maximum number of names that are saved with a verdict, and their maximum length. */
const maximumFaults = 20;
const maximumFaultLength = 200;

/** The names of the evidence and artifacts that decide the state of a trail: what failed, else what is not complete. */
function listFaults(reasons: readonly JudgementReason[]): readonly string[] {
  const failed = reasons.filter(({ state }) => state === 'failed');
  const names = (failed.length > 0 ? failed : reasons).map(({ about }) => truncate(about, maximumFaultLength));
  return [...new Set(names)].slice(0, maximumFaults);
}

/** When the first override of evidence of the trails ends, in Unix seconds; undefined if none does. */
export function findFirstEnd(trails: readonly TrailDetails[]): number | undefined {
  const statuses = trails
    .flatMap(({ judgement }) => [judgement, ...judgement.artifacts])
    .flatMap(({ evidence }) => evidence);
  const pieces = statuses.flatMap(({ evidence, mismatched }) => [evidence ?? [], mismatched ?? []].flat());
  const last = findFirstOverrideEnd(pieces);
  return last === undefined ? undefined : unixSeconds(Date.parse(last)) + 86_400;
}
