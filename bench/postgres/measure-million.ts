import type { FilledService } from '../filled-service.ts';
import { compareResponses, few, fillingOfBoth, many } from '../measure-million-attestations.ts';
import type { Row } from '../row.ts';
import type { PostgresFixture } from './postgres-fixture.ts';

/** Compares a service with a million attestations in a flow with one with ten thousand. Takes a few minutes. */
export async function measureMillionInPostgres(fixture: PostgresFixture): Promise<readonly Row[]> {
  await fixture.createDatabase('few', { ...fillingOfBoth, attestations: few });
  await fixture.createDatabase('many', { ...fillingOfBoth, attestations: many });
  return withService(fixture, 'few', (small) =>
    withService(fixture, 'many', (large) => compareResponses('PostgreSQL with a million attestations', small, large)),
  );
}

async function withService<Result>(
  fixture: PostgresFixture,
  database: string,
  work: (service: FilledService) => Promise<Result>,
): Promise<Result> {
  const service = await fixture.startService(fixture.url(database));
  try {
    const { flow, key, commit, orgs } = fixture;
    const { baseUrl } = service;
    const port = Number(new URL(baseUrl).port);
    return await work({ baseUrl, port, org: orgs[0] ?? '', flow, environment: 'production', key, commit });
  } finally {
    await service.stop();
  }
}
