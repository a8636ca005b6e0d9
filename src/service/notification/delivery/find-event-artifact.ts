import { type ArtifactLookup, type ArtifactQuery, findArtifact } from '../../artifact/artifact-use-cases.ts';
import type { UseCaseDependencies } from '../../platform/judging/use-case-dependencies.ts';

/** Looks up the artifact of an event. Its flow may have been renamed since. */
export async function findEventArtifact(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'now'>,
  query: ArtifactQuery,
): Promise<ArtifactLookup> {
  const { org, flow: name } = query;
  const former = await dependencies.storage.read(({ renames }) => renames.listFormer(org, [name]));
  const flow = former.find(({ kind }) => kind === 'flow')?.name ?? name;
  return findArtifact(dependencies, { ...query, flow });
}
