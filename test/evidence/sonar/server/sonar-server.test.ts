import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf } from '../../../support/failures.ts';
import { type Reply, startSonarServer } from '../../../support/fake-sonar.ts';
import { openSonarJob, type SonarJob } from '../../../support/sonar-job.ts';

let job: SonarJob;
afterEach(() => job.close());

const bearer = 'Bearer squ_user_token_0123';
const basic = `Basic ${Buffer.from('squ_user_token_0123:').toString('base64')}`;

describe('the scheme of a token', () => {
  it.each([
    ['401', undefined],
    ['403, as a visitor', { browse: true, execute: false }],
  ])('to a server of unknown version is bearer, then basic once after %s', async (_status, anonymous) => {
    job = await openSonarJob({ state: { schemes: ['Basic'], anonymous } });
    await job.report({ serverVersion: undefined });
    expect((await job.gather()).unverifiedReason).toBeUndefined();
    expect(job.sonar.requests.map(({ authorization }) => authorization)).toEqual([bearer, basic, basic, basic]);
  });

  it('to a server of unknown version stays bearer once accepted, even if a later request is forbidden', async () => {
    job = await openSonarJob();
    await job.report({ serverVersion: undefined });
    await job.gather({ token: 'sqp_analysis_token_0123' });
    expect(job.sonar.requests.map(({ authorization }) => authorization).join()).not.toContain('Basic');
  });

  it.each([
    ['9.9', ['Basic'], undefined],
    ['10.7', ['Bearer', 'Basic'], undefined],
  ] as const)(
    'of another project is called that on %s (%j, version in the report: %s)',
    async (_is, schemes, version) => {
      job = await openSonarJob({ state: { schemes } });
      job.sonar.state.tokens['sqp_other_0123456789'] = { browse: false, execute: false };
      await job.report({ serverVersion: version });
      const failure = await failureOf(job.gather({ token: 'sqp_other_0123456789' }));
      expect(failure).toMatchObject({ kind: 'user', problems: [{ input: 'sonar-token' }] });
      expect(failure.message).toContain('403: Insufficient privileges; `sonar-token` is the analysis token of another');
      expect(failure.remedy).toContain('Use the analysis token of this project');
    },
  );

  it('is sent only to the host that the user sets, whatever the report says', async () => {
    job = await openSonarJob({ contextPath: '/sonarqube' });
    const forged = await startSonarServer();
    try {
      await job.report({
        serverUrl: forged.url,
        ceTaskUrl: `${forged.url}/api/ce/task?id=AYhSC2-LY0CHkWJxvNA9`,
        dashboardUrl: `${forged.url}/dashboard`,
      });
      const evidence = await job.gather({ hostUrl: `${job.sonar.url}/` });
      expect(evidence.results.qualityGate.status).toBe('OK');
      expect(forged.requests).toEqual([]);
      expect(job.sonar.requests.every(({ path }) => path.startsWith('/sonarqube/api/'))).toBe(true);
    } finally {
      await forged.close();
    }
  });

  it('causes one warning if it expires soon', async () => {
    job = await openSonarJob({
      state: { headers: { 'SonarQube-Authentication-Token-Expiration': '2026-01-05T00:00:00+0000' } },
    });
    await job.report();
    await job.gather();
    expect(job.log.warnings).toEqual([expect.stringContaining('`sonar-token` expires on 2026-01-05T00:00:00+0000')]);
  });
});

describe('a redirect', () => {
  const redirect = (location: string): Reply => ({ status: 302, headers: { location } });

  it('within the server is followed with the token', async () => {
    job = await openSonarJob();
    await job.report();
    job.sonar.instead('api/ce/task', redirect('/api/ce/task?id=AYhSC2-LY0CHkWJxvNA9&moved=1'));
    expect((await job.gather()).results.qualityGate.status).toBe('OK');
    expect(job.sonar.requests[1]).toMatchObject({ query: { moved: '1' }, authorization: bearer });
  });

  it('to another origin is not followed, and its query is not repeated', async () => {
    job = await openSonarJob();
    await job.report();
    job.sonar.instead('api/ce/task', redirect('https://login.example.com/saml?ticket=secret'));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain('to https://login.example.com, which is another origin');
    expect(failure.message).not.toContain('ticket');
    expect(failure.remedy).toContain('single sign-on');
    expect(job.sonar.requests).toHaveLength(1);
  });

  it('from http to https names the address to set', async () => {
    job = await openSonarJob({ contextPath: '/sonarqube' });
    await job.report();
    job.sonar.instead('api/ce/task', redirect('https://127.0.0.1/sonarqube/api/ce/task'));
    const failure = await failureOf(job.gather());
    expect(failure.remedy).toContain("Set `sonar-host-url` to the server's https URL, https://127.0.0.1/sonarqube.");
  });

  it('is followed at most five times', async () => {
    job = await openSonarJob();
    await job.report();
    const again = redirect('/api/ce/task?id=AYhSC2-LY0CHkWJxvNA9');
    job.sonar.instead('api/ce/task', ...Array.from({ length: 5 }, () => again));
    expect((await job.gather()).results.qualityGate.status).toBe('OK');
    job.sonar.instead('api/ce/task', ...Array.from({ length: 6 }, () => again));
    expect((await failureOf(job.gather())).message).toContain('more than 5 redirects');
  });

  it.each(['', 'http://['])('to %j is an error', async (location) => {
    job = await openSonarJob();
    await job.report();
    const headers: Record<string, string> = location === '' ? {} : { location };
    job.sonar.instead('api/ce/task', { status: 302, headers });
    expect((await failureOf(job.gather())).message).toContain('302, a redirect without an address');
  });
});

describe('a refusal', () => {
  it.each([
    [401, 'squ_unknown_token_0123', 'an empty body', 'mistyped, expired or revoked'],
    [401, undefined, 'an empty body', 'Set `sonar-token`'],
    [403, 'browse-only', 'Insufficient privileges', '"Execute Analysis"'],
  ])('with %i of the token %s has the remedy for it', async (status, token, words, remedy) => {
    job = await openSonarJob();
    job.sonar.state.tokens['browse-only'] = { browse: true, execute: false };
    await job.report();
    const failure = await failureOf(job.gather({ token }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toBe(
      `Sonar answered GET ${job.sonar.url}/api/ce/task?id=AYhSC2-LY0CHkWJxvNA9&additionalFields=warnings with ${status}: ${words}`,
    );
    expect(failure.remedy).toContain(remedy);
    expect(failure.message + failure.remedy).not.toContain(token ?? 'squ_user_token_0123');
  });

  it('that is a page of HTML is described, not shown', async () => {
    job = await openSonarJob();
    await job.report();
    const html = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Please sign in</html>' };
    job.sonar.instead('api/ce/task', html);
    const page = await failureOf(job.gather());
    expect(page.kind).toBe('external');
    expect(page.message).toContain('with 200 and an HTML page of 27 bytes instead of JSON');
    expect(page.message).not.toContain('sign in');
    expect(page.remedy).toContain('context path');
    job.sonar.instead('api/ce/task', { ...html, status: 400 });
    expect((await failureOf(job.gather())).message).toContain('with 400: an HTML page of 27 bytes instead of JSON');
  });

  it('for a missing context path names the URL that was requested', async () => {
    job = await openSonarJob({ contextPath: '/sonarqube' });
    await job.report();
    const hostUrl = new URL(job.sonar.url).origin;
    const failure = await failureOf(job.gather({ hostUrl }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toBe(
      `there is no Sonar web API at ${hostUrl}: GET ${hostUrl}/api/ce/task?id=AYhSC2-LY0CHkWJxvNA9&additionalFields=warnings was answered with 404 and an HTML page of 6 bytes instead of JSON`,
    );
    expect(failure.remedy).toContain(`Add the server's context path to \`sonar-host-url\` (${hostUrl}/sonarqube)`);
    expect(job.clock.waits).toEqual([]);
  });

  it.each([
    ['a body that is not JSON', '{', 'a body that claims to be JSON but is not'],
    ['JSON without a task', '{"tasks":[]}', 'JSON without a `task`'],
  ])('is an error for a success with %s', async (_what, body, words) => {
    job = await openSonarJob();
    await job.report();
    job.sonar.instead('api/ce/task', { headers: { 'content-type': 'application/json' }, body });
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain(words);
  });
});

describe('an address with the wrong protocol', () => {
  it('is distinguished from a bad certificate: https to an http port', async () => {
    job = await openSonarJob({ contextPath: '/sonarqube' });
    await job.report();
    const hostUrl = job.sonar.url.replace('http:', 'https:');
    const failure = await failureOf(job.gather({ hostUrl }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toMatch(/ responds with plain http, not https \(ERR_SSL_[A-Z_]+\)$/u);
    expect(failure.message.startsWith(new URL(hostUrl).origin)).toBe(true);
    expect(failure.message).not.toContain('\n');
    expect(failure.remedy).toContain(`Set \`sonar-host-url\` to ${job.sonar.url}, or to the https port`);
  });
});

describe('a transient failure', () => {
  it("that persists ends with Sonar's own message", async () => {
    job = await openSonarJob();
    await job.report();
    const body = JSON.stringify({ errors: [{ msg: 'An error has occurred.' }, { msg: 'Contact us' }] });
    const broken = { status: 500, headers: { 'content-type': 'application/json' }, body };
    job.sonar.instead('api/ce/task', ...Array.from({ length: 100 }, () => broken));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain('with 500: An error has occurred.; Contact us');
  });

  it.each([
    [undefined, 'set `sonar-host-url` to an address of the Sonar server that this runner can reach'],
    ['the same', 'Check `sonar-host-url`'],
  ])('such as an unreachable server (set by the user: %s) names the address to check', async (named, remedy) => {
    job = await openSonarJob();
    const url = await unusedAddress();
    await job.report({ serverUrl: url });
    const failure = await failureOf(job.gather(named === undefined ? {} : { hostUrl: url }));
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain(`no answer from Sonar to GET ${url}/api/ce/task`);
    expect(failure.message).toContain('ECONNREFUSED');
    expect(failure.remedy).toContain(remedy);
  });
});

/** The address of an unused port. */
async function unusedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
