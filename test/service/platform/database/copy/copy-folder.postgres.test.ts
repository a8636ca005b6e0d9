import { cp, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { apiEndpoints } from '../../../../../src/contract/api-endpoints.ts';
import { listAt, valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import { copy as copyCommand } from '../../../../../src/service/commands/copy.ts';
import { schemaVersion } from '../../../../../src/service/platform/database/sqlite/migrations.ts';
import { createNotification } from '../../../../support/administration.ts';
import { type Answer, readAnswers } from '../../../../support/all-answers.ts';
import { pod, reportPods, snapshotsOf } from '../../../../support/environment-samples.ts';
import {
  attestOnce,
  createFilledFolder,
  type FilledFolder,
  saveFlowOnce,
  stillSettings,
} from '../../../../support/filled-folder.ts';
import { itWithObjectStorage, testAttachments } from '../../../../support/object-storage.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { runServiceCommand } from '../../../../support/run-service-command.ts';
import { startTestService, type TestService } from '../../../../support/service.ts';
import { call } from '../../../../support/service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation } from '../../../../support/service-samples.ts';
import { sampleSigningKeys } from '../../../../support/signing-keys.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';
import { expectExactUsage } from '../../../../support/usage.ts';

/** The paths of the endpoints that only read and have no answer with a record. */
function listUnread(answers: ReadonlyMap<string, Answer>): readonly string[] {
  const read = [...answers].filter(([, { status }]) => status === 200).map(([path]) => path);
  return (
    apiEndpoints
      // Files are not compared: they have the address of the service, or the time, in them.
      .filter(({ method, success }) => method === 'GET' && success.every(({ mediaType }) => mediaType === undefined))
      .map(({ path }) => path)
      .filter((path) => {
        const form = new RegExp(`/api/v2${path.replaceAll(/\{\w+\}/gu, '[^/?]+')}(?:$|\\?)`, 'u');
        return !read.some((found) => form.test(found));
      })
  );
}

const isUnfinished = /the copy of a data folder to the database .* has not been completed; wait until it is done, or/u;

describe('the copy of a data folder to PostgreSQL', () => {
  let filled: FilledFolder;
  beforeAll(async () => {
    filled = await createFilledFolder();
  });
  afterAll(() => rm(filled.dataFolder, { recursive: true }));

  let dataFolder: string;
  let target: TestDatabase;
  let services: TestService[];
  beforeEach(async () => {
    services = [];
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-copy-'));
    await cp(filled.dataFolder, dataFolder, { recursive: true });
    target = await createTestDatabase();
  });
  afterEach(async () => {
    for (const service of services) await service.stop();
    for (const { errors } of services) expect(errors).toEqual([]);
    await rm(dataFolder, { recursive: true });
    await target.drop();
  });

  const start = async (options = {}): Promise<TestService> => {
    const service = await startTestService(stillSettings(dataFolder, { signingKeys: sampleSigningKeys, ...options }));
    services.push(service);
    return service;
  };
  const stop = async (): Promise<void> => {
    for (const service of services.splice(0)) {
      await service.stop();
      expect(service.errors).toEqual([]);
    }
  };
  /** In this process, because starting one takes most of the time. Returns the printed lines. */
  const copy = async (...words: string[]): Promise<string> => {
    const lines: string[] = [];
    const terminal = { isInteractive: true, writeLine: (line: string) => lines.push(line) };
    await copyCommand.run(['--from', dataFolder, '--to', target.url, ...words], process.env, {
      ...storageDependencies(),
      ...terminal,
    });
    return lines.join('\n');
  };
  const query = async (statement: string): Promise<unknown> =>
    (await withAdministrator(target.url, (client) => client.query(statement))).rows;
  const changeSource = (statement: string): void => {
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    database.exec(statement);
    database.close();
  };

  it('has the same answers to every request', async () => {
    const before = await readAnswers(await start(), filled.keys);
    await stop();
    expect(await copy()).toMatch(/^attestations: \d\d rows, SHA-256 [0-9a-f]{64}$[^]*all verified$/mu);
    const after = await readAnswers(await start({ database: { url: target.url } }), filled.keys);
    expect(listUnread(before)).toEqual([]);
    expect([...before.keys()].filter((path) => path.endsWith('/attachment'))).toHaveLength(6);
    expect([...after]).toEqual([...before]);
  });

  /** Records something of each kind that is numbered, and returns the numbers, and the answers to repeated requests. */
  const goOn = async (service: TestService): Promise<unknown> => {
    await attest(service, sampleAttestation('OK'), 'later');
    await report(service, { fingerprint: fingerprintOf('4'), trail_name: 'later' });
    for (const web of ['abcdef', 'eeee']) await reportPods(service, 'stage', pod('later', { web }));
    const repeated = [await attestOnce(service), await saveFlowOnce(service)];
    const { body: notification } = await createNotification(service);
    const waiting = '/organizations/acme/environments_notifications/2/deliveries';
    const textOf = async (path: string): Promise<string> => (await call(service, { path })).text;
    return {
      sequences: (await textOf('/attestations/acme/web?per_page=50')).match(/"sequence":\d+/gu),
      trails: (await textOf('/trails/acme?flow=web')).match(/"name":"[^"]+"/gu),
      artifacts: (await textOf('/search/acme/sha/4000000')).match(/"fingerprint":"[^"]+"/gu),
      snapshots: (await snapshotsOf(service, 'stage')).text.match(/"index":\d+/gu),
      waiting: (await textOf(waiting)).match(/"waiting":\d+/gu),
      notification: valueAt(notification, 'number'),
      repeated: repeated.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]),
    };
  };

  it('goes on where the folder ended', async () => {
    await copy();
    const expected = await goOn(await start());
    const sequences = listAt(expected, 'sequences');
    expect(sequences).toEqual(sequences.map((_, index) => `"sequence":${sequences.length - index}`));
    expect(expected).toMatchObject({
      snapshots: [4, 3, 2, 1].map((index) => `"index":${index}`),
      ...{ waiting: ['"waiting":2'], notification: 4 },
      repeated: [
        [201, 'true'],
        [201, 'true'],
      ],
    });
    expect(await goOn(await start({ database: { url: target.url } }))).toEqual(expected);
    const [places] = (await query(`SELECT
      (SELECT count(*) = count(DISTINCT place) FROM artifacts) AS artifacts,
      (SELECT count(*) = count(DISTINCT place) FROM trails) AS trails`)) as readonly unknown[];
    expect(places).toEqual({ artifacts: true, trails: true });
    await withAdministrator(target.url, (client) =>
      expectExactUsage(async (text) => (await client.query<Readonly<Record<string, unknown>>>(text)).rows),
    );
  });

  itWithObjectStorage('can keep the attachments in an object storage', async () => {
    const place = testAttachments();
    expect(await copy('--attachments', place)).toMatch(
      /all verified\nstart the service with --database, --attachments and/u,
    );
    const request = copyCommand.parse(['--from', 'x', '--to', target.url, '--attachments', place], process.env);
    const copied = await readAnswers(await start({ database: request?.target }), filled.keys);
    await stop();
    const original = await readAnswers(await start(), filled.keys);
    expect([...copied]).toEqual([...original]);
    expect(await query('SELECT count(*)::integer AS count FROM attachment_contents')).toEqual([{ count: 0 }]);
  });

  it('is refused while a service uses the folder', async () => {
    await start();
    await expect(copy()).rejects.toThrow(/is in use by another process; stop it/u);
  });

  it('is refused if the write-ahead log of a killed service is missing', async () => {
    await writeFile(join(dataFolder, 'running'), '');
    await expect(copy()).rejects.toThrow(/the latest records in .* may be lost/u);
  });

  it('is refused if the database is empty, and leaves its write-ahead log alone', async () => {
    await truncate(join(dataFolder, 'compliance.sqlite'));
    await writeFile(join(dataFolder, 'compliance.sqlite-wal'), 'the latest writes');
    await expect(copy()).rejects.toThrow(/-wal holds writes; put the database back/u);
    expect(await readdir(dataFolder)).toContain('compliance.sqlite-wal');
  });

  it('is refused if the database is not empty, and changes nothing', async () => {
    await copy();
    const before = await query('SELECT xmin::text FROM organizations');
    await expect(copy()).rejects.toThrow(
      /is not empty: its table \w+ has rows, and a copy replaces nothing; name a new/u,
    );
    expect(await query('SELECT xmin::text FROM organizations')).toEqual(before);
  });

  it('is refused if the folder has the tables of an earlier version, or is damaged', async () => {
    changeSource('PRAGMA user_version = 12');
    await expect(copy()).rejects.toThrow(/has version 12, and this command copies version \d+; start this version/u);
    changeSource(
      `PRAGMA user_version = ${schemaVersion}; PRAGMA foreign_keys = OFF; DELETE FROM flows WHERE name = 'web'`,
    );
    await expect(copy()).rejects.toThrow(/is damaged \(rows of \w+ belong to rows that do not exist\); restore/u);
    await expect(start({ database: { url: target.url } })).rejects.toThrow(isUnfinished);
  });

  it('names damaged attachments, copies no record, and can be run again', async () => {
    const digest = damageAttachment();
    const path = join(dataFolder, 'attachments', 'content', digest.slice(0, 2), digest);
    await truncate(path, 10);
    await expect(copy()).rejects.toThrow(`${digest} is truncated`);
    expect(await query('SELECT * FROM organizations')).toEqual([]);
    const output = await copy('--leave-out-damaged');
    expect(output).toContain(`left out because they are damaged:\n  ${digest} is truncated`);
  });
  const damageAttachment = (): string => {
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    const row = database.prepare(
      'SELECT max(attachment_digest) AS digest FROM attestations WHERE attachment_size > 10',
    );
    const digest = String(row.get()?.['digest']);
    database.close();
    return digest;
  };

  it('leaves no record if it is interrupted, and can be run again', async () => {
    await copy();
    const whole = await query('SELECT count(*) FROM attestations');
    await target.drop();
    target = await createTestDatabase({ isMigrated: true });
    await withAdministrator(target.url, async (client) => {
      await client.query('BEGIN; LOCK TABLE environments IN SHARE MODE');
      const copying = expect(copy()).rejects.toThrow(
        /postgres:\/\/.* cannot be used: there is no connection to the server/u,
      );
      await withAdministrator(target.url, async (other) => {
        const end = `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        while ((await other.query(end)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve));
      });
      await copying;
    });
    expect(await query('SELECT * FROM organizations')).toEqual([]);
    expect(await query('SELECT 1 FROM attachment_contents')).not.toEqual([]);
    await expect(start({ database: { url: target.url } })).rejects.toThrow(isUnfinished);
    const createKey = ['create-key', '--org', 'acme', '--database', target.url];
    expect(await runServiceCommand(createKey)).toEqual({
      code: 1,
      output: expect.stringMatching(isUnfinished) as unknown,
    });
    expect(await copy()).toContain('all verified');
    expect(await query('SELECT count(*) FROM attestations')).toEqual(whole);
    await start({ database: { url: target.url } });
  });

  it('does not keep a service from a database that it has filled meanwhile', async () => {
    await start({ database: { url: target.url } });
    await query('CREATE TABLE unfinished_copy ()');
    await start({ database: { url: target.url } });
  });

  it('has no time limits, whatever the server and the service have', async () => {
    await target.drop();
    target = await createTestDatabase({ isMigrated: true });
    const names = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'];
    for (const name of names)
      await query(`ALTER DATABASE "${new URL(target.url).pathname.slice(1)}" SET ${name} = '1h'`);
    await query(`CREATE TABLE limits (name text PRIMARY KEY, setting text);
      CREATE RULE note_limits AS ON INSERT TO flows DO ALSO
        INSERT INTO limits SELECT name, setting FROM pg_settings WHERE name IN ('${names.join("', '")}')
          ON CONFLICT DO NOTHING`);
    await copy();
    expect(await query('SELECT * FROM limits ORDER BY name')).toEqual(names.map((name) => ({ name, setting: '0' })));
  });

  it('says what it does, and how far it is', async () => {
    let time = 0;
    const lines: string[] = [];
    const dependencies = { ...storageDependencies(), monotonic: () => (time += 10_000), isInteractive: true };
    const request = { dataFolder, target: { url: target.url }, leaveOutDamaged: false };
    await copyCommand.carryOut(request, { ...dependencies, writeLine: (line) => lines.push(line) });
    const said = lines
      .filter((line) => !line.includes('SHA-256'))
      .map((line) => line.replaceAll(/\d+/gu, 'N').replaceAll(/ \S*\/\S*/gu, ' PLACE'));
    expect([...new Set(said)]).toEqual([
      'checking the database PLACE (N bytes)',
      'read N of N bytes',
      'copying N attachments (N bytes)',
      'copied N of N attachments (N of N bytes)',
      'comparing N attachments',
      'compared N of N attachments (N of N bytes)',
      'locking the tables in PLACE',
      'copying N rows in N tables',
      'copied N of N rows',
      'comparing N rows',
      'compared N of N rows',
      expect.stringMatching(/all verified$/u),
      'start the service with --database and signing-key.pem of the folder from now on, and keep the folder as a backup',
    ]);
  });

  it('is a command of the service', async () => {
    const run = await runServiceCommand(['copy', '--from', dataFolder], { COMPLIANCE_SERVICE_DATABASE: target.url });
    expect(run).toEqual({ code: 0, output: expect.stringContaining('all verified') as unknown });
    const again = await runServiceCommand(['copy', '--from', dataFolder, '--to', target.url]);
    expect(again).toEqual({ code: 1, output: expect.stringMatching(/^the database .* is not empty/u) as unknown });
  });
});
