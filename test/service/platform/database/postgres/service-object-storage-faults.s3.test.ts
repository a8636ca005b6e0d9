import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { systemClock } from '../../../../../src/runtime/clock.ts';
import { listAt, textAt } from '../../../../../src/runtime/untrusted-data.ts';
import { parseAttachments } from '../../../../../src/service/commands/parse-attachments.ts';
import {
  type ObjectStorageServer,
  startObjectStorage,
} from '../../../../../tools/servers/object-storage/object-storage-server.ts';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { describeWithOwnObjectStorage } from '../../../../support/own-servers.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import {
  ask,
  attestTrail,
  readiness,
  sendJson,
  type ServiceInstance,
  startInstance,
} from '../../../../support/service-instances.ts';
import { sampleFlow } from '../../../../support/service-samples.ts';
import { type SlowConnection, startSlowConnection } from '../../../../support/slow-connection.ts';

const patience = 15_000;

describeWithOwnObjectStorage('a service whose object storage fails', () => {
  let server: ObjectStorageServer;
  let connection: SlowConnection;
  let database: TestDatabase;
  let service: ServiceInstance;

  beforeEach(async () => {
    server = await startObjectStorage();
    connection = await startSlowConnection(server.port);
    database = await createTestDatabase({ isMigrated: true });
    const attachments = parseAttachments(server.url(connection.port), { ...server.credentials });
    // A request without progress takes 15 s, and is not repeated.
    const after: typeof systemClock.after = (wait, fire) => systemClock.after(wait / 20, fire);
    service = await startInstance({ url: database.url, attachments }, { after });
    await sendJson(service.baseUrl, 'PUT', '/flows/acme', sampleFlow());
  }, 60_000);
  afterEach(async () => {
    await service.stop();
    await connection.close();
    await server.remove();
    await database.drop();
  });

  /** The attachment of each attestation, by trail. */
  const attachments = async (): Promise<Readonly<Record<string, string | undefined>>> => {
    const { text } = await ask(service.baseUrl, '/attestations/acme/web');
    const found: Record<string, string | undefined> = {};
    for (const each of listAt(JSON.parse(text), 'data')) {
      const { pathname } = new URL(textAt(each, 'html_url') ?? '');
      const trail = textAt(each, 'trail_name') ?? '';
      const { status, text: content } = await ask(service.url, `${pathname}/attachment`);
      found[trail] = status === 404 ? undefined : content;
    }
    return found;
  };
  const expectOutage = async (): Promise<void> => {
    const refused = await attestTrail(service, 'one', 'a file');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(refused.text).toContain('nothing was recorded');
    expect((await attestTrail(service, 'two')).status).toBe(201);
    expect(await attachments()).toEqual({ two: undefined });
    // A load balancer must not take the processes out, because all of them have the same object storage.
    expect(await readiness(service)).toBe('OK, except for attachments: the object storage is unreachable');
  };
  const expectRecovery = async (): Promise<void> => {
    await waitUntil(async () => (await readiness(service)) === 'OK', patience);
    expect(await readiness(service)).toBe('OK');
    expect((await attestTrail(service, 'one', 'a file')).status).toBe(201);
    expect(await attachments()).toEqual({ one: 'a file', two: undefined });
  };

  it('refuses attachments while it is down, records everything else, and goes on when it is back', async () => {
    await server.stop();
    await expectOutage();
    await server.start();
    await expectRecovery();
  }, 60_000);

  it('refuses attachments while it does not answer, records everything else, and goes on when it does', async () => {
    connection.hold();
    await expectOutage();
    connection.release();
    await expectRecovery();
  }, 60_000);
});
