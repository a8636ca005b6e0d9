import { maximumTags, type Tags } from '../../contract/tags.ts';
import { recordRuleChanges } from '../environment/rule-change-use-cases.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import { judgeEvidence } from '../platform/judging/snapshot-updates.ts';

export interface TagChange {
  readonly org: string;
  readonly kind: 'flow' | 'environment';
  readonly name: string;
  readonly set: Tags;
  readonly remove: readonly string[];
  readonly by: string;
}

/**
 * Changes the tags of a flow or an environment. Policies judge by the tags of flows, so the environments that run artifacts
 * of the flow are judged again.
 */
export const changeTags = defineWrite(
  async (
    transaction,
    { org, kind, name, set, remove, by: actor }: TagChange,
    context,
  ): Promise<'changed' | 'not found' | 'too many'> => {
    const { at } = context;
    const { flows, environments } = transaction;
    const records = kind === 'flow' ? flows : environments;
    const known = await records.find(org, name);
    if (known === undefined) return 'not found';
    const kept = Object.entries(known.tags).filter(([key]) => !remove.includes(key));
    const tags: Tags = Object.fromEntries(Object.entries({ ...Object.fromEntries(kept), ...set }).sort());
    if (Object.keys(tags).length > maximumTags) return 'too many';
    if (JSON.stringify(tags) === JSON.stringify(known.tags)) return 'changed';
    await records.saveTags(org, name, tags, at);
    const details = { changed: 'tags', before: JSON.stringify(known.tags), after: JSON.stringify(tags) };
    const event = { org, type: 'tags_changed', at, actor, subject: `${kind} ${name}`, details } as const;
    const subject = { org, flow: name };
    await recordRuleChanges(transaction, [event], kind === 'flow' ? await environments.listRunning(subject) : []);
    if (kind === 'flow') await judgeEvidence(transaction, subject, at, context);
    return 'changed';
  },
);
