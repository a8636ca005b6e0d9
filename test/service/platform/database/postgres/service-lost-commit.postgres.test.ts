import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../../src/runtime/clock.ts';
import { listAt, textAt } from '../../../../../src/runtime/untrusted-data.ts';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { type CommitCutter, startCommitCutter } from '../../../../support/commit-cutter.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import {
  ask,
  attestTrail,
  type InstanceAnswer,
  readiness,
  sendJson,
  type ServiceInstance,
  startInstance,
} from '../../../../support/service-instances.ts';
import { sampleFlow } from '../../../../support/service-samples.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';

const notRecorded = { message: 'The service cannot use its storage; nothing was recorded; try again later' };
const uncertain = {
  message:
    'The service lost its database while it was recording this; it may have been recorded; try again with the same Idempotency-Key, or look before you send it again',
};

/** How much faster time passes for the service. */
const speed = 10;

describe('a connection that is lost during a commit', () => {
  let database: TestDatabase;
  let cutter: CommitCutter;
  /** Its connections can be cut. */
  let service: ServiceInstance;
  /** Another one with the same database. */
  let other: ServiceInstance;

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    const url = new URL(database.url);
    // Not the work that each service begins with.
    cutter = await startCommitCutter(new URL(database.url), 'attestations.insert');
    url.hostname = '127.0.0.1';
    url.port = String(cutter.port);
    // The outcome of a lost commit is asked for during ten seconds.
    const after: typeof systemClock.after = (wait, fire) => systemClock.after(wait / speed, fire);
    service = await startInstance({ url: url.href }, { after, monotonic: () => performance.now() * speed });
    other = await startInstance({ url: database.url });
    expect((await sendJson(other.baseUrl, 'PUT', '/flows/acme', sampleFlow())).status).toBe(201);
  });
  afterEach(async () => {
    cutter.refuse(false);
    await service.stop();
    await other.stop();
    await cutter.close();
    await database.drop();
  });

  const recorded = async ({ baseUrl }: ServiceInstance): Promise<readonly string[]> => {
    const { text } = await ask(baseUrl, '/attestations/acme/web');
    return listAt(JSON.parse(text), 'data').map((each) => textAt(each, 'trail_name') ?? '');
  };
  const isReplayed = ({ headers }: InstanceAnswer): boolean => headers.get('idempotent-replayed') === 'true';
  const expectRefusal = (answer: InstanceAnswer, body: unknown): void => {
    expect([answer.status, JSON.parse(answer.text)]).toEqual([503, body]);
    expect(answer.headers.get('retry-after')).toBe('10');
  };

  it('is no error if the server has committed', async () => {
    const cut = cutter.cutNext('after');
    expect((await attestTrail(service, 'one', 'a file')).status).toBe(201);
    await cut;
    expect(await recorded(service)).toEqual(['one']);
    expect(await recorded(other)).toEqual(['one']);
    const repeated = await attestTrail(other, 'one', 'a file');
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, true]);
  });

  it('is a 503 that says that nothing was recorded if the server did not get the COMMIT', async () => {
    const cut = cutter.cutNext('before');
    expectRefusal(await attestTrail(service, 'one', 'a file'), notRecorded);
    await cut;
    expect(await recorded(other)).toEqual([]);
    const repeated = await attestTrail(other, 'one', 'a file');
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, false]);
    expect(await recorded(service)).toEqual(['one']);
    expect(await readiness(service)).toBe('OK');
  });

  it('is settled only when the transaction has ended, also if the COMMIT arrives late', async () => {
    const cut = cutter.cutNext('early');
    const answer = attestTrail(service, 'one');
    await cut;
    await withAdministrator(database.url, async (client) => {
      const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      expect(await waitUntil(async () => (await client.query(waiting)).rowCount === 1, 10_000)).toBe(true);
    });
    cutter.passCommit();
    expect((await answer).status).toBe(201);
    expect(await recorded(other)).toEqual(['one']);
  });

  it.each([
    ['after', ['one'], true],
    ['before', [], false],
  ] as const)(
    'is a 503 that says that it may have been recorded, if the database cannot be asked (cut %s the commit)',
    async (place, expected, replayed) => {
      const cut = cutter.cutNext(place).then(() => {
        cutter.refuse(true);
        cutter.reset();
      });
      expectRefusal(await attestTrail(service, 'one', 'a file'), uncertain);
      await cut;
      expect(await readiness(service)).toBe('unreachable');
      expect(await recorded(other)).toEqual(expected);
      const repeated = await attestTrail(other, 'one', 'a file');
      expect([repeated.status, isReplayed(repeated)]).toEqual([201, replayed]);
      cutter.refuse(false);
      await waitUntil(async () => (await readiness(service)) === 'OK', 10_000);
      expect(await recorded(service)).toEqual(['one']);
      expect((await attestTrail(service, 'two')).status).toBe(201);
    },
  );

  it('is noticed by connections that are idle, so that nobody meets it', async () => {
    cutter.reset();
    const answers = await Promise.all(['one', 'two', 'three'].map((trail) => attestTrail(service, trail, trail)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    cutter.reset();
    expect((await recorded(service)).toSorted()).toEqual(['one', 'three', 'two']);
  });
});
