import { toDay } from '../../runtime/clock.ts';
import type { Flow } from '../flow/flow.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import {
  type AppliedTemplate,
  type FileTemplate,
  hasDays,
  keepRequirements,
  selectByDay,
  type Template,
} from './template.ts';

/** Finds the templates that apply to trails of a flow, by trail. */
export async function findAppliedTemplates(
  { trails }: Pick<ReadTransaction, 'trails'>,
  { org, name, template }: Pick<Flow, 'org' | 'name' | 'template'>,
  names: Iterable<string>,
): Promise<(trail: string) => AppliedTemplate> {
  const wanted = [...new Set(names)];
  const own = await trails.listTemplates(org, name, wanted);
  const isTimed = [template, ...own.values()].some(hasDays);
  const times = isTimed ? await trails.listTimes(org, name, wanted) : undefined;
  return (trail) => {
    const ofTrail = own.get(trail);
    const begunAt = times?.get(trail);
    if (begunAt === undefined) return apply(template, ofTrail);
    const day = toDay(begunAt);
    const announced = apply(
      selectByDay(template, day, 'announced'),
      ofTrail && selectByDay(ofTrail, day, 'announced'),
    ).template;
    return {
      ...apply(selectByDay(template, day, 'required'), ofTrail && selectByDay(ofTrail, day, 'required')),
      announced,
    };
  };
}

function apply(ofFlow: Template, own: FileTemplate | undefined): AppliedTemplate {
  if (own === undefined) return { owner: 'flow', template: ofFlow };
  return { owner: 'trail', template: keepRequirements(own, ofFlow) };
}
