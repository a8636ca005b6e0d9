import type { Trail, TrailDetails } from '../domain/records.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

/** The maximum length of each list in a trail's details. */
const maximumTrailEntries = 100;

/** Finds a trail with the latest reports to it. */
export function findTrail(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, flow, name }: Pick<Trail, 'org' | 'flow' | 'name'>,
): Promise<TrailDetails | undefined> {
  return storage.read(async ({ trails, artifacts, attestations }) => {
    const trail = await trails.find(org, flow, name);
    if (trail === undefined) return undefined;
    return {
      trail,
      artifacts: await artifacts.listByTrail(org, flow, name, maximumTrailEntries),
      attestations: await attestations.listByTrail({ org, flow }, name, maximumTrailEntries),
    };
  });
}
