import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Mapping, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { receivingApp } from '../../support/fake-github-app.ts';
import {
  deploymentPayload,
  githubExamples,
  githubPayload,
  sendWebhook,
  signWebhook,
} from '../../support/github-webhooks.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';

let service: TestService;
const lines: string[] = [];
beforeAll(async () => {
  const log = { info: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  // This process sends the large events as well, and the event loop waits for that.
  const options = { github: { ...receivingApp, appId: 29310 }, load: { delay: 0 } };
  service = await startTestService({ options, sources: { log } });
  const json = { installation_id: 1, repositories: ['10', '12'], flows: ['web', 'api'] };
  await call(service, { method: 'PUT', path: '/organizations/acme/github-gates/web', json });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.storage.query('DELETE FROM github_answers');
});

const send = async (name: string, payload: Mapping): Promise<number> =>
  (await sendWebhook(service, name, JSON.stringify(payload))).status;
/** What is stored, in the order of events. */
const stored = async (): Promise<readonly string[]> => {
  const rows = await service.storage.query(
    'SELECT repository, sha, flow, run_id, github_environment, requests FROM github_answers ORDER BY number',
  );
  return rows.map((row) =>
    Object.values(row)
      .filter((value) => value !== '' && Number(value) !== 0)
      .join(' '),
  );
};

describe('an event of GitHub', () => {
  const head = String(valueAt(githubPayload('pull_request', 'opened'), 'pull_request', 'head', 'sha'));

  it.each(['opened', 'synchronize', 'reopened'])('asks for a check of every flow: pull request %s', async (action) => {
    const payload = githubPayload('pull_request', action);
    const sha = String(valueAt(payload, 'pull_request', 'head', 'sha'));
    const name = String(valueAt(payload, 'repository', 'full_name'));
    expect(await send('pull_request', payload)).toBe(202);
    expect(await stored()).toEqual([`${name} ${sha} web 1`, `${name} ${sha} api 1`]);
  });

  it('asks for a check of the head of a merge group', async () => {
    const payload = githubPayload('merge_group', 'checks_requested');
    expect(await send('merge_group', payload)).toBe(202);
    const sha = String(valueAt(payload, 'merge_group', 'head_sha'));
    expect(await stored()).toEqual([expect.stringContaining(`${sha} web 1`), expect.stringContaining(`${sha} api 1`)]);
  });

  it('asks again for the checks of this app, and not for those of others', async () => {
    const suite = githubPayload('check_suite', 'rerequested');
    expect([await send('check_suite', suite), await send('check_suite', suite)]).toEqual([202, 202]);
    expect(await stored()).toEqual([expect.stringContaining(' web 2'), expect.stringContaining(' api 2')]);
    // The example is of app 2.
    expect(await send('check_run', githubPayload('check_run', 'rerequested'))).toBe(204);
    expect(await send('check_suite', githubPayload('check_suite', 'requested'))).toBe(204);
  });

  it('asks for an answer about a deployment, whatever the host of the callback', async () => {
    const elsewhere = 'https://evil.example.com/x/actions/runs/77/deployment_protection_rule?to=me';
    const payload = { ...deploymentPayload, deployment_callback_url: elsewhere };
    expect(await send('deployment_protection_rule', payload)).toBe(202);
    expect(await stored()).toEqual([`acme/web ${'c'.repeat(40)} 77 production 1`]);
  });

  it('is harmless twice, late and in another order', async () => {
    const group = githubPayload('merge_group', 'checks_requested');
    const pull = githubPayload('pull_request', 'opened');
    for (const [name, payload] of [
      ['merge_group', group],
      ['pull_request', pull],
      ['deployment_protection_rule', { ...deploymentPayload, deployment: { id: 6, sha: head } }],
      ['pull_request', pull],
      ['deployment_protection_rule', { ...deploymentPayload, deployment: { id: 5, sha: head } }],
      ['merge_group', group],
    ] as const) {
      expect(await send(name, payload)).toBe(202);
    }
    expect((await stored()).map((row) => row.slice(-5))).toEqual(['web 1', 'api 1', 'web 1', 'api 1', 'ion 1']);
  });

  it.each([
    ['of an installation of another organization', { installation: 3 }],
    ['of an installation that no organization has', { installation: 4 }],
    ['of another installation than that of the gate', { installation: 2 }],
    ['of a repository without a gate', { repository: 11 }],
  ])('%s leaves nothing', async (_case, origin) => {
    expect(await send('pull_request', githubPayload('pull_request', 'opened', origin))).toBe(204);
    expect(await stored()).toEqual([]);
  });

  it('gives a repository its new name, which its number identifies', async () => {
    const opened = githubPayload('pull_request', 'opened');
    await send('pull_request', opened);
    await send('pull_request', githubPayload('pull_request', 'opened', { repository: 12 }));
    const renamed = githubPayload('repository', 'renamed');
    expect(await send('repository', renamed)).toBe(202);
    const [name, other] = [renamed, opened].map((payload) => String(valueAt(payload, 'repository', 'full_name')));
    const checks = [name, other].flatMap((repository) =>
      ['web', 'api'].map((flow) => `${repository} ${head} ${flow} 1`),
    );
    expect(await stored()).toEqual(checks);
  });

  it('lets what failed be tried again when the installation is no longer suspended', async () => {
    expect(await send('installation', githubPayload('installation', 'unsuspend'))).toBe(202);
    expect(await send('installation', githubPayload('installation', 'deleted'))).toBe(204);
  });

  it('of any kind is answered', async () => {
    for (const { name, payload } of githubExamples) expect([202, 204]).toContain(await send(name, payload));
  });

  it('of 25 MB is taken, and a larger one refused', async () => {
    const payload = JSON.stringify(githubPayload('pull_request', 'opened'));
    const limit = 25 * 1024 * 1024;
    expect((await sendWebhook(service, 'pull_request', payload.padEnd(limit))).status).toBe(202);
    expect((await sendWebhook(service, 'pull_request', payload.padEnd(limit + 1))).status).toBe(413);
    expect(await stored()).toHaveLength(2);
  });

  it.each([
    ['signed with another secret', signWebhook('{}', 'x'.repeat(32))],
    ['with the signature of another body', signWebhook('{"a":1}')],
    ['with something else as its signature', 'sha1=0'],
    ['with an empty signature', ''],
    ['without a signature', null],
  ])('%s is refused without a reason, and counted', async (_case, signature) => {
    const known = lines.length;
    const response = await sendWebhook(service, 'pull_request', '{}', { signature });
    expect([response.status, await response.json()]).toEqual([401, { message: 'Authentication is required' }]);
    expect(lines.slice(known).join('\n')).toMatch(/is not an event that GitHub signed; from .*: 401/u);
  });

  it('that is not JSON is refused', async () => {
    expect((await sendWebhook(service, 'push', '{')).status).toBe(400);
    expect((await sendWebhook(service, 'push', 'a=b', { type: 'application/x-www-form-urlencoded' })).status).toBe(415);
  });

  it('is not expected without an app', async () => {
    const plain = await startTestService();
    expect((await sendWebhook(plain, 'ping', '{}')).status).toBe(404);
    await plain.stop();
  });
});
