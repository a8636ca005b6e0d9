import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { canStartPostgres } from '../../../../../tools/servers/postgres/binaries.ts';
import { type PostgresServer, startPostgres } from '../../../../../tools/servers/postgres/postgres-server.ts';
import { unprivilegedAccount } from '../../../../../tools/servers/unprivileged-account.ts';
import {
  ask,
  attestTrail,
  readiness,
  sendJson,
  type ServiceInstance,
  startInstance,
} from '../../../../support/service-instances.ts';
import { sampleFlow } from '../../../../support/service-samples.ts';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../../../../support/small-disk.ts';
import { urlOfDatabase, withAdministrator } from '../../../../support/test-servers.ts';

const mebibyte = 1024 * 1024;
const patience = 20_000;
const full = { message: 'The service has no room left to record this; nothing was recorded' };

const describeWithDisk = canMountDisks() && canStartPostgres() ? describe : describe.skip;

describeWithDisk('services whose database has a full disk (needs the right to mount one, and PostgreSQL)', () => {
  let disk: SmallDisk;
  let server: PostgresServer;
  let services: readonly ServiceInstance[];
  let one: ServiceInstance;
  let two: ServiceInstance;

  beforeEach(async () => {
    const mounted = mountSmallDisk(48 * mebibyte);
    if (mounted === undefined) throw new Error('this user can mount disks');
    disk = mounted;
    const folder = join(disk.path, 'tables');
    mkdirSync(folder);
    const account = unprivilegedAccount();
    if (account !== undefined) chownSync(folder, account.uid, account.gid);
    server = await startPostgres();
    await withAdministrator(server.url, async (client) => {
      await client.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
      await client.query('CREATE DATABASE small TABLESPACE small');
    });
    const url = urlOfDatabase(server.url, 'small');
    [one, two] = [await startInstance({ url }), await startInstance({ url })];
    services = [one, two];
    expect((await sendJson(one.baseUrl, 'PUT', '/flows/acme', sampleFlow())).status).toBe(201);
  }, 60_000);
  afterEach(async () => {
    for (const service of services) await service.stop();
    await server.remove();
    disk.remove();
  });

  const expectReadiness = async (service: ServiceInstance, state: string): Promise<void> => {
    await waitUntil(async () => (await readiness(service)) === state, patience);
    expect(await readiness(service)).toBe(state);
  };

  it('answer 507, are not ready, keep what they acknowledged, and go on when there is room', async () => {
    expect((await attestTrail(one, 'before', randomBytes(1000))).status).toBe(201);
    disk.fill();
    const content = randomBytes(4 * mebibyte);
    for (const service of services) {
      const refused = await attestTrail(service, 'refused', content);
      expect([refused.status, JSON.parse(refused.text)]).toEqual([507, full]);
      expect(await readiness(service)).toBe('full');
    }
    let acknowledged = 0;
    for (let last = 201; last !== 507;) {
      const document = sampleFlow({ name: `flow-${acknowledged}`, description: randomBytes(32_000).toString('hex') });
      last = (await sendJson(one.baseUrl, 'PUT', '/flows/acme', document)).status;
      expect([201, 507]).toContain(last);
      if (last === 201) acknowledged += 1;
    }
    expect(await readiness(one)).toBe('full');
    // One that is started now has the same answers.
    const late = await startInstance({ url: urlOfDatabase(server.url, 'small') });
    services = [...services, late];
    expect((await ask(late.baseUrl, '/attestations/acme/web')).status).toBe(200);
    expect((await attestTrail(late, 'refused', content)).status).toBe(507);
    expect(await readiness(late)).toBe('full');

    rmSync(join(disk.path, 'filling'));
    for (const service of services) await expectReadiness(service, 'OK');
    expect((await attestTrail(two, 'refused', content)).status).toBe(201);
    for (const { baseUrl } of services) {
      const { text } = await ask(baseUrl, '/attestations/acme/web');
      const found = listAt(JSON.parse(text), 'data').map((each) => valueAt(each, 'trail_name'));
      expect(found).toEqual(['refused', 'before']);
      const flows = await ask(baseUrl, '/flows/acme');
      expect(flows.text.match(/"name":"flow-\d+"/gu) ?? []).toHaveLength(acknowledged);
    }
  }, 120_000);
});
