import type { TrialService } from '../../trial/trial-service.ts';
import { Connection } from '../connection.ts';
import { fingerprintAt } from '../filled-service.ts';
import { interleave } from '../interleave.ts';
import type { LoadResult } from '../load-settings.ts';
import { defaultLoad, generateLoad } from '../measure-service.ts';
import { measureServiceStart } from '../measure-service-start.ts';
import { attestRequest, attestRequests, getArtifactRequest, sampleKey } from '../requests.ts';
import { type Row, withoutTarget, withTarget } from '../row.ts';
import { median } from '../statistics.ts';
import { milliseconds, perSecond, times } from '../units.ts';
import { pgbenchClients, type PgbenchScript, requirePgbench, runPgbench } from './pgbench.ts';
import { firstOrganization, type PostgresFixture, withClient } from './postgres-fixture.ts';
import { type RecordedStatement, StatementRecorder } from './statement-recorder.ts';
import { toScript } from './to-script.ts';

const rounds = 4;

/**
 * How many loads before the first one that counts. V8 compiles what a service that has run for a while runs compiled,
 * and that takes some ten thousand requests.
 */
const warmUps = 6;

/** A trail that is in no other text. */
const sampleTrail = 'load-sample';

interface Recorded {
  readonly attestation: readonly RecordedStatement[];
  /** The sequence number before and the id of the recorded attestation. */
  readonly sequence: number;
  readonly id: string;
  /** The token of its commit. */
  readonly token: string;
  /** The sequence number of its entry in the log. */
  readonly logged: string;
}

/** The database of the service that is measured. */
const benchDatabase = 'bench';

/** As many artifacts as in the flow of `measureArtifactsInTurn`. */
const filling = { attestations: 100_000, artifacts: 10_000, snapshots: 0 };

/** The service with PostgreSQL, compared with what the same database does for pgbench. */
export async function measurePostgres(fixture: PostgresFixture, startRounds: number): Promise<readonly Row[]> {
  requirePgbench();
  await fixture.createDatabase(benchDatabase, filling);
  const recorded = await record(fixture);
  await fixture.copy(benchDatabase, 'pgbench');
  const service = await fixture.startService(fixture.url(benchDatabase));
  const rows: Row[] = [];
  try {
    for (const orgs of [1, fixture.orgs.length]) {
      rows.push(
        ...(await measureAttestations(fixture, service, await toAttestationScript(fixture, recorded, orgs), orgs)),
      );
    }
    rows.push(...(await measureReads(fixture, service)));
  } finally {
    await service.stop();
  }
  return [...rows, await measureStart(fixture, startRounds)];
}

async function measureStart(fixture: PostgresFixture, startRounds: number): Promise<Row> {
  const { orgs, flow, key } = fixture;
  const startService = (): Promise<TrialService> => fixture.startService(fixture.url(benchDatabase));
  const started = { startService, org: orgs[0] ?? '', flow, key, fingerprint: fingerprintAt(0) };
  const start = await measureServiceStart(started, startRounds, 600);
  return { ...start, what: `PostgreSQL: ${start.what}` };
}

/** Records the statements of an attestation. */
async function record(fixture: PostgresFixture): Promise<Recorded> {
  const recorder = await StatementRecorder.start(fixture.port);
  const [org = ''] = fixture.orgs;
  const subject = { ...fixture, org };
  try {
    const service = await fixture.startService(fixture.url(benchDatabase, recorder.port));
    try {
      const connection = await Connection.open(portOf(service));
      // The first begins the trail, which the load seldom does.
      for (const runId of [`1${sampleKey.runId}`, sampleKey.runId])
        await connection.request(attestRequest(subject, sampleTrail, runId + sampleKey.rest), 201);
      connection.close();
    } finally {
      await service.stop();
    }
    const found = await withClient(fixture.url(benchDatabase), (client) =>
      client.query<{ id: string; sequence: string }>(
        'SELECT id, sequence FROM attestations ORDER BY org, sequence DESC LIMIT 1',
      ),
    );
    const [{ id, sequence } = { id: '', sequence: '' }] = found.rows;
    const attestation = recorder.findTransaction('INSERT INTO attestations');
    const valuesOf = (word: string): readonly (string | null)[] =>
      attestation.find(({ text }) => text.includes(word))?.values ?? [];
    const token = valuesOf('INSERT INTO commit_tokens')[0] ?? '';
    const logged = valuesOf('INSERT INTO log_entries')[1] ?? '';
    return { attestation, id, sequence: Number(sequence), token, logged };
  } finally {
    await recorder.close();
  }
}

const trails = 1000;

/** The transaction of an attestation, for this number of organizations. */
function toAttestationScript(
  fixture: PostgresFixture,
  { attestation, id, sequence, token, logged }: Recorded,
  orgs: number,
): Promise<PgbenchScript> {
  const [org = ''] = fixture.orgs;
  return withClient(fixture.url(benchDatabase), (client) =>
    toScript(client, attestation, {
      prepare: [
        '\\set n :n + 1',
        '\\set unique 10000000000 + :base * 1000000000 + :client_id * 10000000 + :n',
        `\\set trail random(0, ${Math.floor(trails / orgs) - 1})`,
        `\\set offset :client_id % ${orgs}`,
        `\\set org ${firstOrganization} + :offset`,
      ],
      variables: { n: '0' },
      replaced: {
        [sampleKey.runId]: ':unique::text',
        [sampleTrail]: "'load-' || :trail::text",
        [id]: `left('${id}', -11) || :unique::text`,
        [org]: "'bench-' || :org::text",
      },
      computed: { [String(sequence)]: ':next', [token]: 'gen_random_uuid()', [logged]: ':log_size' },
      read: {
        'SELECT sequence, created_at FROM attestations': ['\\gset latest_', '\\set next :latest_sequence + 1'],
        'AS size FROM log_entries': ['\\gset log_'],
      },
      lockOffset: ':offset::bigint',
    }),
  );
}

async function measureAttestations(
  fixture: PostgresFixture,
  service: TrialService,
  script: PgbenchScript,
  orgs: number,
): Promise<readonly Row[]> {
  // Each run has other keys.
  let base = orgs;
  const load = (connections: number): LoadResult => attest(fixture, service, { orgs, connections });
  for (let count = 0; count < warmUps; count += 1) load(defaultLoad.connections);
  const runScript = (): number => {
    base += 1;
    const variables = { ...script.variables, base: String(base) };
    return runPgbench(fixture.directory, fixture.url('pgbench'), { ...script, variables });
  };
  const { loads, more, pgbench } = await interleave<{ loads: LoadResult; more: LoadResult; pgbench: number }>(
    { loads: () => load(pgbenchClients), more: () => load(defaultLoad.connections), pgbench: runScript },
    rounds,
  );
  const into = orgs === 1 ? 'one organization' : `${orgs} organizations`;
  return [
    compare(`durable attestations, ${into}`, loads, ['pgbench', median(pgbench)], 0.25),
    orgs === 1 ? slowest(loads) : withTarget(slowest(loads), p99Of(loads), withinTarget, milliseconds),
    rate(`… with ${defaultLoad.connections} connections`, more),
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

function rate(what: string, loads: readonly LoadResult[]): Row {
  const figure = median(loads.map((load) => load.perSecond));
  return withoutTarget({ what, figure: `${perSecond(figure)}, 99 of 100 within ${milliseconds(p99Of(loads))}` });
}

function attest(
  fixture: PostgresFixture,
  service: TrialService,
  { orgs, connections }: { readonly orgs: number; readonly connections: number },
): LoadResult {
  const used = fixture.orgs.slice(0, orgs);
  const perOrganization = used.map((org) => attestRequests({ ...fixture, org }).slice(0, Math.floor(trails / orgs)));
  const requests = Array.from({ length: trails }, (_, index) => {
    const ofOrganization = perOrganization[index % orgs] ?? [];
    return ofOrganization[Math.floor(index / orgs) % ofOrganization.length] ?? '';
  });
  const load = { ...defaultLoad, connections, port: portOf(service), requests, counted: sampleKey.runId, status: 201 };
  return generateLoad(fixture.directory, load);
}

async function measureReads(fixture: PostgresFixture, service: TrialService): Promise<readonly Row[]> {
  const [org = ''] = fixture.orgs;
  const subject = { ...fixture, org };
  const requests = Array.from({ length: filling.artifacts }, (_, place) =>
    getArtifactRequest(subject, fingerprintAt(place)),
  );
  const load = (): LoadResult =>
    generateLoad(fixture.directory, { ...defaultLoad, port: portOf(service), requests, status: 200 });
  const select = await toSelectScript(fixture, org);
  for (let count = 0; count < warmUps; count += 1) load();
  const { loads, selected } = await interleave(
    { loads: load, selected: () => runPgbench(fixture.directory, fixture.url('pgbench'), select) },
    rounds,
  );
  const found = median(loads.map((result) => result.perSecond));
  const row = {
    what: 'PostgreSQL: get-artifact, each of 10,000 in turn',
    figure: `${perSecond(found)}, half within ${milliseconds(median(loads.map((result) => result.p50)))}`,
    against: `pgbench, one-row SELECT ${perSecond(median(selected))}`,
    ratio: times(found / median(selected)),
  };
  return [withTarget(row, found, { better: 'higher', mustReach: 500, aimFor: 500 }, perSecond), slowest(loads)];
}

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
    rate / reference,
    { better: 'higher', mustReach, aimFor: mustReach },
    times,
  );
}

/** Looks up the report of one artifact after another, in no order, each by its key. */
function toSelectScript(fixture: PostgresFixture, org: string): Promise<PgbenchScript> {
  const report: RecordedStatement = {
    text: `SELECT org, flow, id, created_at, reported_by, report FROM artifacts
      WHERE org = $1 AND flow = $2 AND fingerprint = $3 ORDER BY sequence DESC LIMIT 1`,
    values: [org, fixture.flow, fingerprintAt(0)],
  };
  return withClient(fixture.url(benchDatabase), (client) =>
    toScript(client, [report], {
      prepare: [`\\set place random(0, ${filling.artifacts - 1})`],
      variables: {},
      replaced: {},
      computed: { [fingerprintAt(0)]: "encode(sha256(('artifact ' || :place::text)::bytea), 'hex')" },
      read: {},
      lockOffset: '0',
    }),
  );
}

function portOf({ baseUrl }: TrialService): number {
  return Number(new URL(baseUrl).port);
}
