import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { type ClientSession, openClientSession } from '../support/client-session.ts';
import { type ClientStep, describeWithClient, expectRun } from '../support/client-steps.ts';

describeWithClient('machine users of the public client', () => {
  let session: ClientSession;

  beforeAll(async () => {
    session = await openClientSession();
  });

  afterAll(async () => {
    await session.close();
  });

  /** Runs a command, expects these results, and returns its output. */
  async function run(command: string, expected: Omit<ClientStep, 'command'> = {}): Promise<string> {
    const ended = await session.run(command);
    expectRun(ended, expected);
    return ended.output;
  }

  async function create(command: string): Promise<{ readonly id: string; readonly key: string }> {
    const key: unknown = JSON.parse(await run(`${command} --output json`));
    return { id: textAt(key, 'id') ?? '', key: textAt(key, 'key') ?? '' };
  }

  async function statusWith(key: string): Promise<number> {
    const { baseUrl, org } = session.service;
    const response = await fetch(`${baseUrl}/service-accounts/${org}`, { headers: { authorization: `Bearer ${key}` } });
    await response.body?.cancel();
    return response.status;
  }

  it('creates, changes, shows and deletes a service account', async () => {
    await run('create service-account ci --privilege member --description Builds', { says: ['ci'] });
    await run('create service-account no --privilege emperor', { exitCode: 1, says: ['emperor'] });
    await run('update service-account ci --privilege reader');
    await run('get service-account ci', { says: ['ci', 'reader'] });
    await run('get service-account ci --output json', {
      shows: expect.objectContaining({ name: 'ci', description: 'Builds', privilege: 'reader' }),
    });
    await run('list service-accounts', { says: ['ci'] });
    await run('list service-accounts --output json');
    await run('delete service-account ci --assume-yes', { says: ['ci'] });
    await run('get service-account ci', { exitCode: 1, says: ['Service account not found'] });
    await run('update service-account ci --privilege reader', { exitCode: 1, says: ['Service account not found'] });
  });

  it('creates, shows, rotates and deletes API keys', async () => {
    await run('create service-account keys --privilege member');
    const ofAccount = '--service-account keys';
    await run(`create api-key --description Shown ${ofAccount}`, { says: ['Shown'] });
    const first = await create(`create api-key --description First ${ofAccount}`);
    // In 100 days, because the service lets no key live longer than a year.
    const expiry = new Date(Date.now() + 100 * 86_400_000).toISOString().slice(0, 10);
    const limited = await create(`create api-key --description Limited --expires-at ${expiry} ${ofAccount}`);
    expect(await Promise.all([first.key, limited.key].map(statusWith))).toEqual([200, 200]);
    await run(`get api-key ${first.id} ${ofAccount}`, { says: ['First'] });
    await run(`get api-key ${limited.id} ${ofAccount} --output json`, {
      shows: expect.objectContaining({ id: limited.id, description: 'Limited', expires_at: Date.parse(expiry) / 1000 }),
    });
    await run(`list api-keys ${ofAccount}`, { says: ['Shown', 'First', 'Limited'] });
    await run(`create api-key --description Long --expires-at 2099-01-01 ${ofAccount}`, {
      ...{ exitCode: 1, says: ['a key lives 366 days at most'] },
    });
    await run(`list api-keys ${ofAccount} --output json`);
    await run(`rotate api-key ${limited.id} ${ofAccount}`);
    await run(`rotate api-key ${first.id} --grace-period-hours 1 --output json ${ofAccount}`);
    expect(await statusWith(first.key)).toBe(200);
    await run(`delete api-key ${first.id} --assume-yes ${ofAccount}`);
    expect(await statusWith(first.key)).toBe(401);
    await run(`get api-key ${first.id} ${ofAccount}`, { exitCode: 1, says: ['API key not found'] });
    await run('list api-keys --service-account unknown', { exitCode: 1, says: ['Service account not found'] });
  });

  it('sets and shows the default organization', async () => {
    await run('update default-org acme');
    await run('get default-org', { says: ['acme'] });
    await run('get default-org --output json', { shows: { default_org_name: 'acme' } });
    await run('update default-org elsewhere', { exitCode: 1, says: ['Access denied to'] });
  });

  it('asks whether the service is ready', async () => {
    for (const command of ['status', 'assert status']) {
      const { exitCode, output } = await session.run(`${command} --host {service}`);
      expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('OK') });
    }
  });
});
