import { join } from 'node:path';
import { withFilledService } from './filled-service.ts';
import { measureFirstLookUps } from './measure-first-look-ups.ts';
import { entriesOfFarPage, measurePages } from './measure-pages.ts';
import { measureWalk } from './measure-walk.ts';
import type { Row } from './row.ts';
import type { Scene } from './scene.ts';

/** What long lists cost the service and a step that walks through them: of a service of its own, which has them. */
export async function measureLongLists(scene: Scene): Promise<readonly Row[]> {
  const owner = { ...scene, data: join(scene.directory, 'long-lists') };
  const filling = { attestations: 100_000, artifacts: 10_000, snapshots: entriesOfFarPage };
  return withFilledService(owner, filling, async (filled) => [
    measureFirstLookUps(scene, filled, filling.artifacts),
    ...(await measurePages(filled)),
    await measureWalk(filled, scene),
  ]);
}
