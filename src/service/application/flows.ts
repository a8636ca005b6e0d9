import { maximumTemplateNames } from '../../contract/limits.ts';
import type { Flow } from '../domain/records.ts';
import { countNames } from '../domain/template/template.ts';
import type { FlowFilter, FlowHead } from '../storage/flows.ts';
import type { ListPart } from '../storage/list-part.ts';
import type { WriteTransaction } from '../storage/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from './carry-out-once.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import { judgeEvidence } from './judging/judge-evidence.ts';
import { runJudgingTransaction, type JudgingContext } from './judging/judging-transaction.ts';
import { unixSeconds } from '../../runtime/clock.ts';

export type FlowToSave = Omit<Flow, 'createdAt' | 'lastModifiedAt'>;

export type SaveFlowResult = 'created' | 'updated' | 'too many names';

/** Creates or replaces a flow. Judges the environments that run its artifacts again. The organization must exist. */
export async function saveFlow(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  flow: FlowToSave,
  request?: KeyedRequest<SaveFlowResult>,
): Promise<OnceResult<SaveFlowResult>> {
  if (countNames(flow.template) > maximumTemplateNames) return 'too many names';
  const now = unixSeconds(dependencies.now());
  const save = async (transaction: WriteTransaction, context: JudgingContext): Promise<SaveFlowResult> => {
    const { flows } = transaction;
    const { org, name } = flow;
    const known = await flows.find(org, name);
    await flows.save({ ...flow, createdAt: known?.createdAt ?? now, lastModifiedAt: now });
    if (known === undefined) return 'created';
    await judgeEvidence(transaction, { org, flow: name }, now, context);
    return 'updated';
  };
  return runJudgingTransaction(dependencies, flow.org, carryOutOnce(dependencies, request, save));
}

/** Finds a flow; undefined if it does not exist. */
export function findFlow(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, name }: { readonly org: string; readonly name: string },
): Promise<Flow | undefined> {
  return storage.read(({ flows }) => flows.find(org, name));
}

export interface FlowListQuery extends FlowFilter {
  readonly org: string;
  /** Undefined for all flows. */
  readonly part: ListPart | undefined;
}

/** Lists flows, sorted by name, with the number of all that match. */
export function listFlows(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, part, ...filter }: FlowListQuery,
): Promise<{ readonly flows: readonly FlowHead[]; readonly total: number }> {
  return storage.read(async ({ flows }) => {
    const found = await flows.list(org, filter, part ?? { offset: 0, limit: Number.MAX_SAFE_INTEGER });
    return { flows: found, total: part === undefined ? found.length : await flows.count(org, filter) };
  });
}
