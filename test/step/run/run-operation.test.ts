import { describe, expect, it } from '@jest/globals';
import type { HttpAnswer, HttpRequest } from '../../../src/http/exchange.ts';
import { Failure, UserError } from '../../../src/runtime/failure.ts';
import { runOperation } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer, silentTransport } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { failureOf } from '../../support/failures.ts';
import { openTestStep } from '../../support/step-context.ts';

const connection = { 'base-url': 'https://compliance.example.com', 'api-token': 'the-key-of-acme', org: 'acme' };
const lookUp = { ...connection, operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };

function nothingIsSent(): never {
  throw new Error('a request was sent');
}

/** The problems of a step that must end before anything is sent. */
async function problemsOf(
  inputs: Readonly<Record<string, string>>,
): Promise<readonly (readonly [input: string | undefined, what: string])[]> {
  const transport = answeringTransport(nothingIsSent);
  const { context } = openTestStep({ inputs, transport });
  const failure = await failureOf(runOperation(context));
  expect(transport.requests).toEqual([]);
  if (!(failure instanceof UserError)) throw failure;
  return failure.problems.map(({ input, what }) => [input, what]);
}

/** Answers every look-up with the artifact of the fingerprint that was asked for. */
function compliantArtifacts({ url }: HttpRequest): HttpAnswer {
  const fingerprint = (url.pathname.split('/').at(-1) ?? '').padEnd(64, '0');
  return jsonAnswer(200, anArtifact({ fingerprint }));
}

describe('perform, with variables of the job', () => {
  const variables = {
    COMPLIANCE_BASE_URL: 'https://compliance.example.com',
    COMPLIANCE_API_TOKEN: 'the-key-of-acme',
    COMPLIANCE_ORG: 'acme',
    COMPLIANCE_FLOW: 'web',
  };
  const own = { operation: 'get-artifact', fingerprint: fingerprintOf('a') };

  it('takes the connection, the organization and the flow from them, and names them without their values', async () => {
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

  it('takes nothing from them that decides the gate or names what is judged, and warns once', async () => {
    const ignored = {
      COMPLIANCE_ON_NON_COMPLIANT: 'ignore',
      COMPLIANCE_WAIT: '600',
      COMPLIANCE_TRAIL: 'of-the-job',
      COMPLIANCE_ENVIRONMENT: 'production',
      COMPLIANCE_ON_MISSING_TOKEN: 'skip',
    };
    const transport = answeringTransport(compliantArtifacts);
    const { context, log } = openTestStep({ inputs: own, variables: { ...variables, ...ignored }, transport });
    await expect(runOperation(context)).resolves.toMatchObject({ onNonCompliant: 'fail' });
    expect(transport.requests.map(({ url }) => url.search)).toEqual(['']);
    expect(log.warnings).toEqual([
      expect.stringMatching(
        /^COMPLIANCE_ON_NON_COMPLIANT, COMPLIANCE_ON_MISSING_TOKEN, COMPLIANCE_TRAIL, COMPLIANCE_ENVIRONMENT, COMPLIANCE_WAIT are not read: /u,
      ),
    ]);
  });
});

describe('perform, without a key', () => {
  const noKey = { ...lookUp, 'api-token': '' };

  it('says what the reason may be, and how to go on without one', async () => {
    expect(await problemsOf(noKey)).toEqual([
      ['api-token', '`api-token` is required but missing or empty: the secret is unset or empty'],
    ]);
  });

  it('skips the operation where that is wanted, and warns whatever `on-non-compliant` says', async () => {
    const inputs = { ...noKey, 'on-missing-token': 'skip', 'on-non-compliant': 'fail' };
    const { context } = openTestStep({ inputs, transport: answeringTransport(nothingIsSent) });
    await expect(runOperation(context)).resolves.toMatchObject({
      result: { outcome: 'skipped' },
      onNonCompliant: 'warn',
    });
  });

  it('still reports all other mistakes, where skipping is wanted', async () => {
    const inputs = { ...noKey, 'on-missing-token': 'skip', flow: 'web front', retries: 'many' };
    expect((await problemsOf(inputs)).map(([input]) => input)).toEqual(['retries', 'flow']);
  });

  it('skips nothing for a key that is malformed', async () => {
    const inputs = { ...noKey, 'api-token': 'two words', 'on-missing-token': 'skip' };
    expect((await problemsOf(inputs)).map(([input]) => input)).toEqual(['api-token']);
  });
});

describe('perform, before anything is sent', () => {
  it('asks for everything that every operation needs where nothing is given', async () => {
    expect((await problemsOf({})).map(([input]) => input)).toEqual(['operation', 'base-url', 'api-token', 'org']);
  });

  it('names the operations where an unknown one is given', async () => {
    expect(await problemsOf({ ...connection, operation: 'attest' })).toEqual([
      ['operation', expect.stringMatching(/^`operation` must be `create-flow`, .*`get-artifact`.*, but is "attest"$/u)],
    ]);
  });

  it('reports all that is wrong, common and own inputs together', async () => {
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
      'api-token',
      'org',
      'retries',
      'flow',
      'description',
      'template',
    ]);
  });

  it('reports an input that common and own inputs share once', async () => {
    const inputs = { ...connection, operation: 'attest-sonar', flow: 'web', 'github-token': 'broken token' };
    expect(await problemsOf(inputs)).toEqual([['github-token', '`github-token` must not contain white space']]);
  });

  it('reports rules between inputs: neither fingerprint nor files, or both', async () => {
    expect(await problemsOf({ ...lookUp, fingerprint: '' })).toEqual([
      ['fingerprint', '`fingerprint` and `files`: exactly one of the two must be given, and neither are'],
    ]);
    expect(await problemsOf({ ...lookUp, files: 'dist/*' })).toEqual([
      ['fingerprint', '`fingerprint` and `files`: exactly one of the two must be given, and both are'],
    ]);
  });

  it('reports rules between inputs together with what is wrong elsewhere', async () => {
    const problems = await problemsOf({ ...lookUp, files: 'dist/*', org: 'acme corp' });
    expect(problems.map(([input]) => input)).toEqual(['org', 'fingerprint']);
  });

  it('refuses the summary and the gate that it cannot understand', async () => {
    const problems = await problemsOf({ ...lookUp, summary: 'maybe', 'on-non-compliant': 'pass' });
    expect(problems.map(([input]) => input)).toEqual(['on-non-compliant', 'summary']);
  });
});

describe('perform, where a commit status is wanted', () => {
  const status = { ...lookUp, 'commit-status': 'compliance/web' };

  it('reports a malformed `commit-sha` with the other inputs, where the operation has none of its own', async () => {
    expect(await problemsOf({ ...status, 'commit-sha': 'a..b', retries: 'x' })).toEqual([
      ['retries', expect.any(String)],
      ['commit-sha', expect.stringContaining('does not name a commit')],
    ]);
  });

  it.each([
    ['600', 1],
    ['0', 0],
    ['', 0],
  ])('tells of waiting before it, with `wait: %s`', async (wait, times) => {
    let told = 0;
    const { context } = openTestStep({
      inputs: { ...status, wait },
      transport: answeringTransport(compliantArtifacts),
    });
    const beforeWaiting = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      told += 1;
    };
    await runOperation({ ...context, beforeWaiting });
    expect(told).toBe(times);
  });
});

describe('perform', () => {
  it('runs the operation with the inputs it declares, and gives its default gate', async () => {
    const transport = answeringTransport(compliantArtifacts);
    const { context } = openTestStep({ inputs: lookUp, transport });
    const { result, onNonCompliant } = await runOperation(context);
    expect(result).toMatchObject({ outcome: 'compliant', state: 'COMPLIANT' });
    expect(onNonCompliant).toBe('fail');
    expect(transport.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
      `GET https://compliance.example.com/api/v2/artifacts/acme/web/fingerprint/${fingerprintOf('a')}`,
    ]);
    expect(transport.requests[0]?.headers['authorization']).toBe('Bearer the-key-of-acme');
  });

  it('takes the variables of the job for inputs that are not given', async () => {
    const transport = answeringTransport(compliantArtifacts);
    const variables = {
      COMPLIANCE_BASE_URL: 'https://x.example.com',
      COMPLIANCE_API_TOKEN: 'key',
      COMPLIANCE_ORG: 'x',
    };
    const inputs = { operation: 'get-artifact', flow: 'web', fingerprint: 'abcde', org: 'acme' };
    const { context } = openTestStep({ inputs, transport, variables });
    await runOperation(context);
    expect(transport.requests[0]?.url.href).toBe('https://x.example.com/api/v2/artifacts/acme/web/fingerprint/abcde');
  });

  it('lets `on-non-compliant` decide over the operation’s default', async () => {
    const inputs = { ...lookUp, 'on-non-compliant': 'ignore' };
    const { context } = openTestStep({ inputs, transport: answeringTransport(compliantArtifacts) });
    expect((await runOperation(context)).onNonCompliant).toBe('ignore');
  });

  it('narrows a look-up by trail and attestation only when they are given', async () => {
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
    expect(result).toMatchObject({ conclusion: 'All 3 artifacts in flow web are COMPLIANT.' });
  });

  it('looks the others up where one is refused, and ends with the refusal', async () => {
    const transport = answeringTransport((request) =>
      request.url.pathname.endsWith('bbbbb')
        ? jsonAnswer(404, { message: 'no such artifact' })
        : compliantArtifacts(request),
    );
    const { context } = openTestStep({ inputs: { ...lookUp, fingerprint: 'aaaaa\nbbbbb\nccccc' }, transport });
    const { result } = await runOperation(context);
    expect(transport.requests).toHaveLength(3);
    expect(result).toMatchObject({ outcome: 'error', failure: { kind: 'user' } });
    expect(result.response).toMatchObject([
      { artifact: { state: 'COMPLIANT' } },
      { fingerprint: 'bbbbb', error: expect.stringContaining('no such artifact') },
      { artifact: { state: 'COMPLIANT' } },
    ]);
  });

  it('does not take a defect in a look-up for an artifact that could not be judged', async () => {
    const { context } = openTestStep({
      inputs: lookUp,
      transport: answeringTransport(() => {
        throw new TypeError('a defect');
      }),
    });
    await expect(runOperation(context)).rejects.toThrow(new TypeError('a defect'));
  });

  it('gives up at the deadline and after the repetitions that its inputs set', async () => {
    const transport = silentTransport();
    const { context, log } = openTestStep({ inputs: { ...lookUp, timeout: '7', retries: '2' }, transport });
    const failure = await failureOf(runOperation(context));
    expect(failure).toMatchObject({ kind: 'external' });
    expect(failure.message).toContain('(after 3 attempts)');
    expect(log.infos[0]).toBe('get-artifact: attempt 1 of 3: no whole answer within 7.0 s; trying again in 0.5 s');
    expect(transport.requests).toHaveLength(3);
  });

  it('asks nothing once the job is cancelled', async () => {
    const reason = new (class extends Failure {
      override readonly kind = 'external';
    })({ what: 'cancelled', remedy: 'Run it again.' });
    const transport = answeringTransport(nothingIsSent);
    const { context } = openTestStep({ inputs: lookUp, transport, signal: AbortSignal.abort(reason) });
    await expect(runOperation(context)).rejects.toBe(reason);
    expect(transport.requests).toEqual([]);
  });
});

describe('perform, warning', () => {
  async function warningsOf(inputs: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const { context, log } = openTestStep({ inputs, transport: answeringTransport(compliantArtifacts) });
    await runOperation(context);
    return log.warnings;
  }

  it('says nothing where everything given is used', async () => {
    const inputs = { ...lookUp, 'github-token': 'ghs_0', summary: 'true', timeout: '5', 'auth-method': 'bearer' };
    expect(await warningsOf(inputs)).toEqual([]);
  });

  it('names an input that the operation does not use, and not its value', async () => {
    expect(await warningsOf({ ...lookUp, 'sonar-token': 'squ_secret', visibility: '' })).toEqual([
      '`sonar-token` is not used by get-artifact; remove it from `with:`.',
    ]);
  });

  it('says that a key can be read on its way where the address is plain http to another machine', async () => {
    expect(await warningsOf({ ...lookUp, 'base-url': 'http://compliance.example.com:8080' })).toEqual([
      '`base-url` starts with http://, so the API key is sent to compliance.example.com:8080 unencrypted; use https://.',
    ]);
    expect(await warningsOf({ ...lookUp, 'base-url': 'http://127.0.0.1:8080' })).toEqual([]);
  });
});
