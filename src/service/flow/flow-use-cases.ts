import { isDeepStrictEqual } from 'node:util';
import { maximumTemplateNames } from '../../contract/limits.ts';
import type { ChangeAuthor } from '../account/api-key-use-cases.ts';
import { recordRuleChanges } from '../environment/rule-change-use-cases.ts';
import type { ListPart } from '../platform/database/database.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import { judgeEvidence } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { countNames } from '../template/template.ts';
import type { Flow } from './flow.ts';
import type { FlowFilter, FlowHead } from './flow-records.ts';

/** Who changes what evidence is judged by. */
export interface DefinitionAuthor extends ChangeAuthor {
  /** Whether the permission `define` is given. */
  readonly mayDefine: boolean;
}

export type FlowToSave = Omit<Flow, 'tags' | 'isArchived' | 'lastModifiedAt'>;

export type SaveFlowResult = 'created' | 'updated' | 'too many names' | 'not permitted';

/**
 * Creates or replaces a flow, if the author may define what evidence is judged by, or if that changes nothing. Judges the
 * environments that run its artifacts again. The organization must exist.
 */
export const saveFlow = defineWrite(
  async (transaction, { by, mayDefine, ...flow }: FlowToSave & DefinitionAuthor, context): Promise<SaveFlowResult> => {
    if (countNames(flow.template) > maximumTemplateNames) return 'too many names';
    const { at: now } = context;
    const { flows, environments } = transaction;
    const { org, name } = flow;
    const known = await flows.find(org, name);
    if (known !== undefined && isSame(known, flow)) return 'updated';
    if (!mayDefine) return 'not permitted';
    const type = known === undefined ? 'flow_created' : 'flow_changed';
    const details = known === undefined ? {} : { changed: listChanges(known, flow).join(', ') };
    const change = { org, type, at: now, actor: by, subject: `flow ${name}`, details } as const;
    const subject = { org, flow: name };
    await recordRuleChanges(transaction, [change], known === undefined ? [] : await environments.listRunning(subject));
    await flows.save({ ...flow, lastModifiedAt: now });
    await judgeEvidence(transaction, subject, now, context);
    return known === undefined ? 'created' : 'updated';
  },
);

function isSame(known: Flow, wanted: FlowToSave): boolean {
  return listChanges(known, wanted).length === 0;
}

function listChanges(known: Flow, wanted: FlowToSave): readonly string[] {
  const fields = {
    archived: !known.isArchived,
    description: known.description === wanted.description,
    visibility: (known.visibility ?? null) === (wanted.visibility ?? null),
    template: isDeepStrictEqual(known.template, wanted.template),
    repo_url: (known.repoUrl ?? null) === (wanted.repoUrl ?? null),
  };
  return Object.entries(fields).flatMap(([name, isEqual]) => (isEqual ? [] : [name]));
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
