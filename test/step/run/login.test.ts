import { describe, expect, it } from '@jest/globals';
import { type HttpRequest, type HttpResponse, TransportError } from '../../../src/http/transport.ts';
import { createTransport } from '../../../src/http/undici-transport.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { listAt, textAt } from '../../../src/runtime/untrusted-data.ts';
import { type OperationRun, runOperation } from '../../../src/step/run/run-operation.ts';
import { createSigningKey, jobClaims, startIdentityProvider } from '../../../tools/identity-provider.ts';
import { administer } from '../../support/administration.ts';
import { answeringTransport, jsonAnswer } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { failureOf } from '../../support/failures.ts';
import { jobEnvironment } from '../../support/job.ts';
import { startTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';
import { openTestStep } from '../../support/test-step.ts';

const inputs = { 'base-url': 'https://compliance.example.com', org: 'acme', operation: 'get-artifact', flow: 'web' };
const variables = {
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://actions.example.com/token?api-version=2.0',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
};

/** A step without `api-token`, in a job that can get identity tokens. */
function openStep(
  respond: (request: HttpRequest, logins: number) => HttpResponse,
  {
    given = {},
    environment = variables,
  }: { given?: Record<string, string>; environment?: Record<string, string> } = {},
) {
  const logins: HttpRequest[] = [];
  const secrets: string[] = [];
  const transport = answeringTransport((request) => {
    if (request.url.host === 'actions.example.com') return jsonAnswer(200, { value: 'identity-token' });
    if (request.url.pathname.endsWith('/login/acme')) logins.push(request);
    return respond(request, logins.length);
  });
  const { context } = openTestStep({
    inputs: { ...inputs, fingerprint: fingerprintOf('a'), ...given },
    transport,
    variables: environment,
  });
  const addSecret = (secret: string): void => {
    secrets.push(secret);
  };
  return {
    context: { ...context, addSecret },
    run: () => runOperation({ ...context, addSecret }),
    transport,
    logins,
    secrets,
  };
}

const loggedIn = (number: number): HttpResponse =>
  jsonAnswer(201, {
    ...{ id: 'one', key: `key-${number}`, created_at: 1000, expires_at: 1900, rules: ['deploy'] },
    proven: {
      ...{ issuer: 'https://issuer.example.com', subject: 's', repository: 'acme/web', repository_id: '1' },
      ...{ run_id: '1', run_attempt: '1', event_name: 'push', ref: 'refs/heads/main' },
    },
  });
const isLogin = ({ url }: HttpRequest): boolean => url.pathname === '/api/v2/login/acme';
const artifact = (): HttpResponse => jsonAnswer(200, anArtifact({ fingerprint: fingerprintOf('a') }));
const outcomeOf = async (run: Promise<OperationRun>): Promise<string> => (await run).result.outcome;

describe('a step without api-token, in a job with id-token: write', () => {
  it('exchanges an identity token for a key, masks both, and uses the key', async () => {
    const { run, transport, secrets } = openStep((request, count) => (isLogin(request) ? loggedIn(count) : artifact()));
    expect(await outcomeOf(run())).toBe('compliant');
    expect(transport.requests.map(({ method, url, headers }) => [method, url.href, headers['authorization']])).toEqual([
      [
        'GET',
        'https://actions.example.com/token?api-version=2.0&audience=https%3A%2F%2Fcompliance.example.com',
        'Bearer request-token',
      ],
      ['POST', 'https://compliance.example.com/api/v2/login/acme', 'Bearer identity-token'],
      ['GET', expect.stringContaining('/artifacts/acme/web/fingerprint/'), 'Bearer key-1'],
    ]);
    expect(secrets).toEqual(['request-token', 'identity-token', 'key-1']);
  });

  it('logs in again before the key expires, while it waits', async () => {
    const seen: string[] = [];
    const { run, logins } = openStep(
      (request, count) => {
        if (isLogin(request)) return loggedIn(count);
        seen.push(request.headers['authorization'] ?? '');
        return jsonAnswer(200, anArtifact({ fingerprint: fingerprintOf('a'), state: 'INCOMPLETE' }));
      },
      { given: { wait: '3600' } },
    );
    expect(await outcomeOf(run())).toBe('incomplete');
    expect(logins.length).toBeGreaterThan(3);
    expect(new Set(seen).size).toBe(logins.length);
  });

  it('logs in again once if the key was revoked meanwhile', async () => {
    const refused = jsonAnswer(401, { message: 'Authentication is required' });
    const { run, logins } = openStep(
      (request, count) => {
        if (isLogin(request)) return loggedIn(count);
        if (request.headers['authorization'] === 'Bearer key-1' && logins.length === 1) {
          return used++ === 0
            ? jsonAnswer(200, anArtifact({ fingerprint: fingerprintOf('a'), state: 'INCOMPLETE' }))
            : refused;
        }
        return artifact();
      },
      { given: { wait: '60' } },
    );
    let used = 0;
    expect(await outcomeOf(run())).toBe('compliant');
    expect(logins).toHaveLength(2);
  });

  it('uses api-token if it is given', async () => {
    const { run, transport } = openStep(artifact, { given: { 'api-token': 'the-api-key-of-acme' } });
    await run();
    expect(transport.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer the-api-key-of-acme']);
  });

  it.each([
    ['GitHub', 'actions.example.com', 'GitHub gave no identity token', 'Check that the runner can reach GitHub:'],
    ['the service', 'compliance.example.com', 'the login got no answer', 'Check `base-url` '],
  ])('knows that nothing is on record if %s does not answer the login', async (_who, silent, words, remedy) => {
    const transport = answeringTransport(({ url }) => {
      if (url.host === silent) throw new TransportError('unreachable', true, 'no route');
      return jsonAnswer(200, { value: 'identity-token' });
    });
    const attest = { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true', retries: '1' };
    const { context } = openTestStep({ inputs: { ...inputs, ...attest }, transport, variables });
    const failure = await failureOf(runOperation(context));
    expect(failure.message).toContain(`: ${words}: no route (after 2 attempts); the request was not sent`);
    expect(failure.remedy).toContain(remedy);
  });

  it('retries a login that the service cannot answer now', async () => {
    const { run, logins } = openStep((request, count) => {
      if (!isLogin(request)) return artifact();
      return count < 3
        ? jsonAnswer(503, { message: 'The keys of the token issuer x cannot be fetched' })
        : loggedIn(count);
    });
    expect(await outcomeOf(run())).toBe('compliant');
    expect(logins).toHaveLength(3);
  });

  it.each([
    [404, { message: 'There is nothing at POST /api/v2/login/acme' }, 'does not support login', 'Set `api-token`'],
    [401, { message: 'Unauthorized' }, 'does not support login', 'Set `api-token`'],
    [400, { message: 'No', errors: { odd: { a: [1] } } }, '\n  odd: {"a":[1]}', 'Set `api-token`'],
    [
      401,
      { message: 'Authentication is required', errors: { authorization: 'is an identity token that has expired' } },
      'rejected the identity token',
      '--public-url',
    ],
    [
      401,
      { message: 'Authentication is required', errors: { 'login rules': 'name neither issuer nor repository' } },
      'does not let this run log in',
      'Ask an admin',
    ],
    [
      403,
      { message: 'No login rule', errors: { 'login rule x': 'does not hold: refs' } },
      'does not hold: refs',
      'login rule',
    ],
  ])('fails with the remedy if the login is answered %d %j', async (status, body, what, remedy) => {
    const { run } = openStep(() => jsonAnswer(status, body));
    const failure = await failureOf(run());
    expect(failure).toMatchObject({ kind: 'user', message: expect.stringContaining(what) });
    expect(failure.remedy).toContain(remedy);
  });

  it('is skipped with on-missing-token: skip if it is not meant to have a key', async () => {
    for (const status of [401, 403, 404]) {
      const answer = { message: 'No', errors: { 'login rules': 'name neither issuer nor repository' } };
      const { run } = openStep(() => jsonAnswer(status, answer), { given: { 'on-missing-token': 'skip' } });
      expect((await run()).result).toMatchObject({ outcome: 'skipped', conclusion: expect.stringMatching(/log ?in/u) });
    }
  });

  it('sends nothing in a dry run', async () => {
    const { run, transport } = openStep(artifact, { given: { 'dry-run': 'true' } });
    expect(await outcomeOf(run())).toBe('skipped');
    expect(transport.requests).toEqual([]);
  });
});

describe('a step that cannot log in', () => {
  it('lacks api-token, as before, if the job has no id-token: write', async () => {
    const { run } = openStep(artifact, { environment: {} });
    expect((await failureOf(run())).message).toContain('`api-token` is required but missing or empty');
    const skipped = openStep(artifact, { environment: {}, given: { 'on-missing-token': 'skip' } });
    expect(await outcomeOf(skipped.run())).toBe('skipped');
  });

  it('lacks api-token, as before, if it runs for a fork, even with tokens', async () => {
    const { context, transport } = openStep(artifact);
    const event = {
      pull_request: { base: { repo: { full_name: 'acme/web' } }, head: { repo: { full_name: 'eve/web' } } },
    };
    const job = { ...context.job, eventName: 'pull_request', event };
    expect((await failureOf(runOperation({ ...context, job }))).message).toContain('pull request from a fork');
    expect(transport.requests).toEqual([]);
  });
});

describe('a step and the service, with a real provider', () => {
  it('records evidence with what the run proved, without any stored key', async () => {
    const provider = await startIdentityProvider(await createSigningKey('one'));
    const service = await startTestService({ options: { allowPrivateIssuers: true } });
    const transport = createTransport({});
    try {
      await saveFlow(service);
      const rule = {
        ...{
          issuer: provider.issuer,
          repository: 'acme/widgets',
          repository_id: '99001',
          role: 'member',
          flows: ['web'],
        },
        ...{ refs: ['refs/heads/main'], events: ['push'] },
      };
      await administer(service, { method: 'PUT', path: '/organizations/acme/login-rules/ci', json: rule });
      const { context } = openTestStep({
        inputs: {
          ...{ 'base-url': service.baseUrl, org: 'acme', flow: 'web', operation: 'attest-generic' },
          ...{ 'attestation-name': 'review', compliant: 'true', 'git-metadata': 'off' },
        },
        transport,
        variables: provider.openJob(
          jobClaims({ ...jobEnvironment, GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main' }),
        ),
      });
      const { result } = await runOperation({ ...context, clock: systemClock });
      expect(result.outcome).toBe('compliant');
      const { body } = await call(service, { path: '/attestations/acme/web' });
      const [attestation] = listAt(body, 'data');
      expect(attestation).toMatchObject({ reported_by: 'workflow:acme/widgets' });
      expect(textAt(attestation, 'proven', 'repository_id')).toBe('99001');
    } finally {
      await transport.close();
      await service.stop();
      await provider.stop();
    }
  });
});
