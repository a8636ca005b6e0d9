import { describe, expect, it } from '@jest/globals';
import type { HttpRequest, HttpResponse } from '../../../src/http/transport.ts';
import { Failure } from '../../../src/runtime/failure.ts';
import { runOperation } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer, silentTransport } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { pullRequestEvent } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import { connection, openTestStep } from '../../support/test-step.ts';
import { userErrorOf } from '../../support/user-error.ts';

const lookUp = { ...connection, operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };

function nothingIsSent(): never {
  throw new Error('a request was sent');
}

/** Runs a step that must fail before anything is sent, and returns its problems. */
async function problemsOf(
  inputs: Readonly<Record<string, string>>,
): Promise<readonly (readonly [input: string | undefined, what: string])[]> {
  const transport = answeringTransport(nothingIsSent);
  const { context } = openTestStep({ inputs, transport });
  const { problems } = await userErrorOf(() => runOperation(context));
  expect(transport.requests).toEqual([]);
  return problems.map(({ input, what }) => [input, what]);
}

/** Answers every lookup with the artifact of the requested fingerprint. */
function compliantArtifacts({ url }: HttpRequest): HttpResponse {
  const fingerprint = (url.pathname.split('/').at(-1) ?? '').padEnd(64, '0');
  return jsonAnswer(200, anArtifact({ fingerprint }));
}

describe('runOperation, with variables of the job', () => {
  const variables = {
    COMPLIANCE_BASE_URL: 'https://compliance.example.com',
    COMPLIANCE_API_TOKEN: 'the-api-key-of-acme',
    COMPLIANCE_ORG: 'acme',
    COMPLIANCE_FLOW: 'web',
  };
  const own = { operation: 'get-artifact', fingerprint: fingerprintOf('a') };

  it('reads connection, organization and flow from them, and logs their names without their values', async () => {
    const { context, log } = openTestStep({
      inputs: own,
      variables,
      transport: answeringTransport(compliantArtifacts),
    });
    await expect(runOperation(context)).resolves.toMatchObject({ result: { outcome: 'compliant' } });
    expect(log.infos.filter((line) => line.includes('COMPLIANCE_'))).toEqual([
      'Read from the environment: `base-url` from COMPLIANCE_BASE_URL, `api-token` from COMPLIANCE_API_TOKEN, `org` from COMPLIANCE_ORG, `flow` from COMPLIANCE_FLOW.',
    ]);
  });

  it('ignores those that would decide the gate or name what is judged, and warns once', async () => {
    const ignored = {
      COMPLIANCE_ON_NON_COMPLIANT: 'ignore',
      COMPLIANCE_WAIT: '600',
      COMPLIANCE_TRAIL: 'of-the-job',
      COMPLIANCE_ATTESTATION_ID: '1a2b3c4d-0000-1111-2222-12345678',
      COMPLIANCE_ON_MISSING_TOKEN: 'skip',
    };
    const transport = answeringTransport(compliantArtifacts);
    const { context, log } = openTestStep({ inputs: own, variables: { ...variables, ...ignored }, transport });
    await expect(runOperation(context)).resolves.toMatchObject({ onNonCompliant: 'fail' });
    expect(transport.requests.map(({ url }) => url.search)).toEqual(['']);
    expect(log.warnings).toEqual([
      expect.stringMatching(
        /^COMPLIANCE_ON_NON_COMPLIANT, COMPLIANCE_ON_MISSING_TOKEN, COMPLIANCE_TRAIL, COMPLIANCE_ATTESTATION_ID, COMPLIANCE_WAIT are not read: /u,
      ),
    ]);
  });
});

describe('runOperation, without a key', () => {
  const noKey = { ...lookUp, 'api-token': '' };

  it('says what the reason may be, and how to continue', async () => {
    expect(await problemsOf(noKey)).toEqual([
      ['api-token', '`api-token` is required but missing or empty: the secret is unset or empty'],
    ]);
  });

  it.each([
    [{ actor: 'dependabot[bot]' }, /started by Dependabot[^]*Dependabot secrets[^]*id-token: write/u],
    [{ eventName: 'pull_request', event: pullRequestEvent({ fork: true }) }, /from a fork[^]*`workflow_run`/u],
    [{}, /unset or empty[^]*COMPLIANCE_API_TOKEN[^]*`environment:`[^]*`on-missing-token: skip`/u],
  ])('names the likely reason, and its remedy (job %#)', async (job, words) => {
    const { context } = openTestStep({ inputs: noKey, transport: answeringTransport(nothingIsSent) });
    const { message, remedy } = await userErrorOf(() => runOperation({ ...context, job: { ...context.job, ...job } }));
    expect(`${message}. ${remedy}`).toMatch(words);
  });

  it.each(['fail', 'ignore'])('is skipped, with a warning, with on-non-compliant: %s', async (given) => {
    const inputs = { ...noKey, 'on-missing-token': 'skip', 'on-non-compliant': given };
    const { context } = openTestStep({ inputs, transport: answeringTransport(nothingIsSent) });
    await expect(runOperation(context)).resolves.toMatchObject({
      result: { outcome: 'skipped' },
      onNonCompliant: 'warn',
    });
  });

  it('still reports all other mistakes with `on-missing-token: skip`', async () => {
    const inputs = { ...noKey, 'on-missing-token': 'skip', flow: 'web front', retries: 'many' };
    expect((await problemsOf(inputs)).map(([input]) => input)).toEqual(['retries', 'flow']);
  });

  it('does not skip for a malformed key', async () => {
    const inputs = { ...noKey, 'api-token': 'two words', 'on-missing-token': 'skip' };
    expect((await problemsOf(inputs)).map(([input]) => input)).toEqual(['api-token']);
  });
});

describe('runOperation, before anything is sent', () => {
  it('asks for every required common input if nothing is given', async () => {
    expect((await problemsOf({})).map(([input]) => input)).toEqual(['operation', 'base-url', 'org', 'api-token']);
  });

  it.each([
    ['get-artefact', 'Did you mean `get-artifact`? The operations are `create-flow`, '],
    ['attest', 'The operations are `create-flow`, '],
  ])('lists the operations once if an unknown one is given: %s', async (operation, remedy) => {
    const { context } = openTestStep({
      inputs: { ...connection, operation },
      transport: answeringTransport(nothingIsSent),
    });
    const failure = await userErrorOf(() => runOperation(context));
    expect(failure.message).toBe(`\`operation\` must be the name of an operation, but is "${operation}"`);
    expect(failure.remedy.startsWith(remedy)).toBe(true);
    expect(failure.remedy.match(/`list-snapshots`/gu)).toHaveLength(1);
  });

  it('reports all problems of common and own inputs together', async () => {
    const inputs = {
      operation: 'create-flow',
      'base-url': 'compliance.example.com',
      org: 'acme corp',
      retries: 'many',
      flow: 'web front',
      template: 'unit test',
    };
    expect((await problemsOf(inputs)).map(([input]) => input)).toEqual([
      'base-url',
      'org',
      'retries',
      'api-token',
      'flow',
      'description',
      'template',
    ]);
  });

  it('reports an input that is both common and own once', async () => {
    const inputs = { ...connection, operation: 'attest-sonar', flow: 'web', 'github-token': 'broken token' };
    expect(await problemsOf(inputs)).toEqual([['github-token', '`github-token` must not contain white space']]);
  });

  it('reports rules between inputs: exactly one of fingerprint, files and image', async () => {
    expect(await problemsOf({ ...lookUp, fingerprint: '' })).toEqual([
      ['fingerprint', 'Exactly one of `fingerprint`, `files` and `image` must be given, but none is'],
    ]);
    expect(await problemsOf({ ...lookUp, files: 'dist/*' })).toEqual([
      ['fingerprint', 'Exactly one of `fingerprint`, `files` and `image` must be given, but 2 are'],
    ]);
  });

  it('reports rules between inputs together with other problems', async () => {
    const problems = await problemsOf({ ...lookUp, files: 'dist/*', org: 'acme corp', wait: 'long' });
    expect(problems.map(([input]) => input)).toEqual(['org', 'wait', 'fingerprint']);
  });

  it('does not apply a rule between inputs to one that has a problem of its own', async () => {
    const problems = await problemsOf({ ...lookUp, fingerprint: 'abc', files: '' });
    expect(problems).toEqual([['fingerprint', expect.stringContaining('must be a SHA-256')]]);
  });

  it('rejects malformed `summary` and `on-non-compliant`', async () => {
    const problems = await problemsOf({ ...lookUp, summary: 'maybe', 'on-non-compliant': 'pass' });
    expect(problems.map(([input]) => input)).toEqual(['on-non-compliant', 'summary']);
  });
});

describe('runOperation, with a commit status', () => {
  const status = { ...lookUp, 'commit-status': 'compliance/web' };

  it('reports a malformed `commit-sha` with the other inputs, if the operation does not use it itself', async () => {
    expect(await problemsOf({ ...status, 'commit-sha': 'a..b', retries: 'x' })).toEqual([
      ['retries', expect.any(String)],
      ['commit-sha', expect.stringContaining('does not name a commit')],
    ]);
  });

  it('leaves a malformed `commit-sha` to an operation that uses it itself', async () => {
    const attest = { operation: 'attest-generic', flow: 'web', 'attestation-name': 'scan', compliant: 'true' };
    const inputs = { ...lookUp, ...attest, 'commit-status': 'compliance/web', 'commit-sha': 'a..b', retries: 'x' };
    expect(await problemsOf(inputs)).toEqual([['retries', expect.any(String)]]);
  });

  it.each([
    ['600', 1],
    ['0', 0],
    ['', 0],
  ])('calls `beforeWaiting` only if it may wait, with `wait: %s`', async (wait, times) => {
    let calls = 0;
    const { context } = openTestStep({
      inputs: { ...status, wait },
      transport: answeringTransport(compliantArtifacts),
    });
    const beforeWaiting = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      calls += 1;
    };
    await runOperation({ ...context, beforeWaiting });
    expect(calls).toBe(times);
  });
});

describe('runOperation', () => {
  it('runs the operation with the inputs it declares, and returns its default gate', async () => {
    const transport = answeringTransport(compliantArtifacts);
    const { context } = openTestStep({ inputs: lookUp, transport });
    const { result, onNonCompliant } = await runOperation(context);
    expect(result).toMatchObject({ outcome: 'compliant', state: 'COMPLIANT' });
    expect(onNonCompliant).toBe('fail');
    expect(transport.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
      `GET https://compliance.example.com/api/v2/artifacts/acme/web/fingerprint/${fingerprintOf('a')}`,
    ]);
    expect(transport.requests[0]?.headers['authorization']).toBe('Bearer the-api-key-of-acme');
  });

  it('lets `on-non-compliant` override the operation’s default', async () => {
    const inputs = { ...lookUp, 'on-non-compliant': 'ignore' };
    const { context } = openTestStep({ inputs, transport: answeringTransport(compliantArtifacts) });
    expect((await runOperation(context)).onNonCompliant).toBe('ignore');
  });

  it('narrows a lookup by trail and attestation only if they are set', async () => {
    const attestationId = '1a2b3c4d-0000-1111-2222-12345678';
    const transport = answeringTransport(() => jsonAnswer(200, anArtifact({ id: attestationId })));
    const inputs = { ...lookUp, trail: 'trail-1', 'attestation-id': attestationId };
    const { context } = openTestStep({ inputs, transport });
    await runOperation(context);
    expect(transport.requests[0]?.url.search).toBe(`?trail=trail-1&attestation_id=${attestationId}`);
  });

  it('asks for each of several fingerprints once, in the order given', async () => {
    const transport = answeringTransport(compliantArtifacts);
    const inputs = { ...lookUp, fingerprint: 'ccccc\naaaaa\nccccc\nbbbbb' };
    const { context } = openTestStep({ inputs, transport });
    const { result } = await runOperation(context);
    expect(transport.requests.map(({ url }) => url.pathname.split('/').at(-1))).toEqual(['ccccc', 'aaaaa', 'bbbbb']);
    expect(result).toMatchObject({ conclusion: 'All 3 artifacts are COMPLIANT in flow web.' });
  });

  it('does not treat a defect in a lookup as an artifact that could not be judged', async () => {
    const { context } = openTestStep({
      inputs: lookUp,
      transport: answeringTransport(() => {
        throw new TypeError('a defect');
      }),
    });
    await expect(runOperation(context)).rejects.toThrow(new TypeError('a defect'));
  });

  it('obeys `timeout` and `retries`', async () => {
    const transport = silentTransport();
    const { context, log } = openTestStep({ inputs: { ...lookUp, timeout: '7', retries: '2' }, transport });
    const failure = await failureOf(runOperation(context));
    expect(failure).toMatchObject({ kind: 'external' });
    expect(failure.message).toContain('(after 3 attempts)');
    expect(log.infos[0]).toBe('get-artifact: attempt 1 of 3: no complete answer within 7.0 s; trying again in 0.5 s');
    expect(transport.requests).toHaveLength(3);
  });

  it('sends nothing once the job is cancelled', async () => {
    const reason = new (class extends Failure {
      override readonly kind = 'external';
    })({ what: 'cancelled', remedy: 'Run it again.' });
    const transport = answeringTransport(nothingIsSent);
    const { context } = openTestStep({ inputs: lookUp, transport, signal: AbortSignal.abort(reason) });
    await expect(runOperation(context)).rejects.toBe(reason);
    expect(transport.requests).toEqual([]);
  });
});

describe('the warnings of runOperation', () => {
  async function warningsOf(inputs: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const { context, log } = openTestStep({ inputs, transport: answeringTransport(compliantArtifacts) });
    await runOperation(context);
    return log.warnings;
  }

  it('are none if all inputs are used', async () => {
    const inputs = {
      ...lookUp,
      'github-token': 'ghs_0123456789abcdef',
      summary: 'true',
      timeout: '5',
      'auth-method': 'bearer',
    };
    expect(await warningsOf(inputs)).toEqual([]);
  });

  it('name an input that the operation does not use, without its value', async () => {
    expect(await warningsOf({ ...lookUp, 'sonar-token': 'squ_secret_0123456789', visibility: '' })).toEqual([
      '`sonar-token` is not used by get-artifact; remove it from `with:`.',
    ]);
  });

  it('say that the key is sent unencrypted over plain http to another machine', async () => {
    expect(await warningsOf({ ...lookUp, 'base-url': 'http://compliance.example.com:8080' })).toEqual([
      '`base-url` starts with http://, so the API key is sent to compliance.example.com:8080 unencrypted; use https://.',
    ]);
    expect(await warningsOf({ ...lookUp, 'base-url': 'http://127.0.0.1:8080' })).toEqual([]);
  });
});
