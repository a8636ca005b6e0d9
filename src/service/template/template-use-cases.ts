import type { Flow } from '../flow/flow.ts';
import { keepRequirements, type AppliedTemplate } from './template.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';

/** Finds the templates that apply to trails of a flow, by trail. */
export async function findAppliedTemplates(
  { trails }: Pick<ReadTransaction, 'trails'>,
  flow: Pick<Flow, 'org' | 'name' | 'template'>,
  names: Iterable<string>,
): Promise<(trail: string) => AppliedTemplate> {
  const own = await trails.listTemplates(flow.org, flow.name, [...new Set(names)]);
  return (trail) => {
    const template = own.get(trail);
    if (template === undefined) return { owner: 'flow', template: flow.template };
    return { owner: 'trail', template: keepRequirements(template, flow.template) };
  };
}
