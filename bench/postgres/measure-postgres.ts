import type { TrialService } from '../../trial/trial-service.ts';
import { fingerprintAt } from '../filled-service.ts';
import { interleave } from '../interleave.ts';
import type { LoadResult } from '../load-settings.ts';
import { defaultLoad, generateLoad } from '../measure-service.ts';
import { measureServiceStart } from '../measure-service-start.ts';
import { attestRequests, getArtifactRequest, sampleKey, trails } from '../requests.ts';
import { type Row, withoutTarget, withTarget } from '../row.ts';
import { median } from '../statistics.ts';
import { milliseconds, perSecond, times } from '../units.ts';
import { pgbenchClients, runPgbench } from './pgbench.ts';
import type { PostgresFixture } from './postgres-fixture.ts';

const rounds = 4;

/**
 * How many loads before the first one that counts. V8 compiles what a service that has run for a while runs compiled,
 * and that takes some ten thousand requests.
 */
const warmUps = 6;

/** As many artifacts as in the flow of `measureArtifactsInTurn`. */
export const filling = { attestations: 100_000, artifacts: 10_000, snapshots: 0 };

/** The service with PostgreSQL, compared with what the same server does for pgbench. */
export async function measurePostgres(fixture: PostgresFixture, startRounds: number): Promise<readonly Row[]> {
  const service = await fixture.startService();
  const rows: Row[] = [];
  try {
    for (const orgs of [1, fixture.orgs.length]) rows.push(...(await measureAttestations(fixture, service, orgs)));
    rows.push(...(await measureReads(fixture, service)));
  } finally {
    await service.stop();
  }
  const started = { ...fixture, org: fixture.orgs[0] ?? '', fingerprint: fingerprintAt(0) };
  const start = await measureServiceStart(started, startRounds, 600);
  return [...rows, { ...start, what: `PostgreSQL: ${start.what}` }];
}

async function measureAttestations(
  fixture: PostgresFixture,
  service: TrialService,
  orgs: number,
): Promise<readonly Row[]> {
  const load = (): LoadResult => attest(fixture, service, orgs);
  for (let count = 0; count < warmUps; count += 1) load();
  const { loads, pgbench } = await interleave<{ loads: LoadResult; pgbench: number }>(
    { loads: load, pgbench: () => runPgbench(fixture.pgbenchUrl, 'simple-update') },
    rounds,
  );
  const into = orgs === 1 ? 'one organization' : `${orgs} organizations`;
  return [
    compare(
      `durable attestations, ${into}`,
      loads,
      ['pgbench, simple-update', median(pgbench)],
      orgs === 1 ? 160 : 350,
    ),
    orgs === 1 ? slowest(loads) : withTarget(slowest(loads), p99Of(loads), withinTarget, milliseconds),
  ];
}

/** For several organizations: requests of one organization wait for each other. */
const withinTarget = { better: 'lower', mustReach: 100, aimFor: 100 } as const;

function slowest(loads: readonly LoadResult[]): Row {
  return withoutTarget({ what: '… 99 of 100 answered within', figure: milliseconds(p99Of(loads)) });
}

function p99Of(loads: readonly LoadResult[]): number {
  return median(loads.map((load) => load.p99));
}

function attest(fixture: PostgresFixture, service: TrialService, orgs: number): LoadResult {
  const used = fixture.orgs.slice(0, orgs);
  const perOrganization = used.map((org) => attestRequests({ ...fixture, org }).slice(0, Math.floor(trails / orgs)));
  const requests = Array.from({ length: trails }, (_, index) => {
    const ofOrganization = perOrganization[index % orgs] ?? [];
    return ofOrganization[Math.floor(index / orgs) % ofOrganization.length] ?? '';
  });
  const load = { ...defaultLoad, connections: pgbenchClients, port: portOf(service), requests, status: 201 };
  return generateLoad(fixture.directory, { ...load, counted: sampleKey.runId });
}

async function measureReads(fixture: PostgresFixture, service: TrialService): Promise<readonly Row[]> {
  const [org = ''] = fixture.orgs;
  const subject = { ...fixture, org };
  const requests = Array.from({ length: filling.artifacts }, (_, place) =>
    getArtifactRequest(subject, fingerprintAt(place)),
  );
  const load = (): LoadResult =>
    generateLoad(fixture.directory, { ...defaultLoad, port: portOf(service), requests, status: 200 });
  for (let count = 0; count < warmUps; count += 1) load();
  const { loads, selected } = await interleave(
    { loads: load, selected: () => runPgbench(fixture.pgbenchUrl, 'select-only') },
    rounds,
  );
  const reference = ['pgbench, select-only', median(selected)] as const;
  return [compare('get-artifact, each of 10,000 in turn', loads, reference, 500), slowest(loads)];
}

/** @param mustReach requests per second */
function compare(
  what: string,
  loads: readonly LoadResult[],
  [name, reference]: readonly [string, number],
  mustReach: number,
): Row {
  const rate = median(loads.map((load) => load.perSecond));
  return withTarget(
    {
      what: `PostgreSQL: ${what}`,
      figure: `${perSecond(rate)}, half within ${milliseconds(median(loads.map((load) => load.p50)))}`,
      against: `${name} ${perSecond(reference)}`,
      ratio: times(rate / reference),
    },
    rate,
    { better: 'higher', mustReach, aimFor: mustReach },
    perSecond,
  );
}

function portOf({ baseUrl }: TrialService): number {
  return Number(new URL(baseUrl).port);
}
