import { join } from 'node:path';
import { withFilledService } from './filled-service.ts';
import type { Fixture } from './fixture.ts';
import { measureArtifactsInTurn } from './measure-artifacts-in-turn.ts';
import { entriesOfFarPage, measureFarPages } from './measure-far-pages.ts';
import { measurePagingMemory } from './measure-paging-memory.ts';
import type { Row } from './row.ts';

/** What long lists cost the service, and the step that reads them. Uses its own service. */
export async function measureLongLists(fixture: Fixture): Promise<readonly Row[]> {
  const owner = { ...fixture, data: join(fixture.directory, 'long-lists') };
  const filling = { attestations: 100_000, artifacts: 10_000, snapshots: entriesOfFarPage };
  return withFilledService(owner, filling, async (filled) => [
    measureArtifactsInTurn(fixture, filled, filling.artifacts),
    ...(await measureFarPages(filled)),
    await measurePagingMemory(filled, fixture),
  ]);
}
