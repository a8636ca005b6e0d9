import type { Flow } from '../domain/records.ts';
import type { AppliedTemplate, FileTemplate } from '../domain/template/template.ts';
import type { ReadTransaction } from '../storage/storage.ts';

/** Finds the templates that apply to trails of a flow, by trail. */
export async function findAppliedTemplates(
  { trails }: Pick<ReadTransaction, 'trails'>,
  flow: Pick<Flow, 'org' | 'name' | 'template'>,
  names: Iterable<string>,
): Promise<(trail: string) => AppliedTemplate> {
  const own = await trails.listTemplates(flow.org, flow.name, [...new Set(names)]);
  return (trail) => selectTemplate(flow, own.get(trail));
}

/**
 * Selects the template that applies to a trail.
 *
 * @param own the trail's own template, if it has one
 */
export function selectTemplate(flow: Pick<Flow, 'template'>, own: FileTemplate | undefined): AppliedTemplate {
  return own === undefined ? { owner: 'flow', template: flow.template } : { owner: 'trail', template: own };
}
