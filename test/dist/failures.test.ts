import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { jobCommit, openActionJob, type ActionJob } from '../support/action-job.ts';
import { fingerprintOf } from '../support/artifacts.ts';
import { pullRequestEvent, shas } from '../support/events.ts';
import { answers, neverAnswers, resetsBeforeTheAnswer } from '../support/faults.ts';
import { startFaultyServer, type Fault } from '../support/faulty-server.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { errorEnding, failedStep, type FailedStep } from '../support/failed-step.ts';
import { commandsNamed } from '../support/workflow-command.ts';
import { itWithSignals } from '../support/platform.ts';

let job: ActionJob;

beforeAll(async () => {
  job = await openActionJob();
  await job.workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
});

afterAll(() => job.close());

/** The gate ignores every verdict, and the steps must fail all the same. Without retries, so that no test waits. */
const lookUp = {
  operation: 'get-artifact',
  flow: 'web',
  fingerprint: fingerprintOf('a'),
  'on-non-compliant': 'ignore',
  retries: '0',
};
const attest = {
  operation: 'attest-sonar',
  flow: 'web',
  'sonar-report-path': 'sonar.json',
  'unverified-revision': 'warn',
  retries: '0',
};

it('says that a quota is exceeded, sends nothing again, and names who can raise it', async () => {
  const limited = await openActionJob({ options: { quotas: { records: new Map([['acme', 1]]) } } });
  const create = { operation: 'create-flow', template: 'unit', description: 'Of a test' };
  expect(await limited.step({ ...create, flow: 'web' })).toMatchObject({ exitCode: 0 });
  expect(failedStep(await limited.step({ ...create, flow: 'api' }))).toMatchObject({
    ...errorEnding,
    kind: 'external',
    title: 'Service or network error',
    message: expect.stringMatching(
      /The quota 'records' of organization 'acme' is 1, .*\nAsk the operator of the service/u,
    ),
  });
  await limited.close();
});

describe('a step with mistakes in its inputs', () => {
  it('names all of them at once, and leaves its outputs, its file and its summary all the same', async () => {
    const inputs = { operation: 'create-flow', org: 'acme corp', flow: 'pr/12', template: 'unit test' };
    const result = await job.step(inputs, { variables: { COMPLIANCE_API_TOKEN: undefined } });
    expect(failedStep(result)).toEqual({
      ...errorEnding,
      kind: 'user',
      title: '5 mistakes in the workflow',
      message: expect.stringMatching(/`org`.*\n`api-token`.*\n`flow`.*pr-12.*\n`description`.*\n`template`/u),
    });
    expect(result.outputs).toMatchObject({ state: '', fingerprint: '', 'html-url': '' });
    expect(JSON.parse(result.outputs['response'] ?? '')).toEqual(result.response);
  });

  it('says that none is given if there is no operation', async () => {
    expect(failedStep(await job.step({}))).toMatchObject({
      ...errorEnding,
      message: expect.stringContaining('`operation` is required'),
    });
  });

  it('suggests the operation that is meant', async () => {
    expect(failedStep(await job.step({ ...lookUp, operation: 'get-artefact' }))).toMatchObject({
      ...errorEnding,
      message: expect.stringMatching(
        /^`operation` must be the name of an operation, but is "get-artefact"\nDid you mean `get-artifact`\? The operations are `create-flow`, /u,
      ),
    });
  });

  it('names an unknown input first, then the required input that is missing for it, and all others', async () => {
    const inputs = { operation: 'attest-junit', flow: 'web', 'junit-pth': 'junit.xml', trail: 'pr/12', threshold: '3' };
    const result = await job.step(inputs);
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      title: '3 mistakes in the workflow',
      message: expect.stringMatching(
        /^`junit-pth` is not an input of this action\. Did you mean `junit-path`\?.*\n`trail`.*\n`junit-path` is required/u,
      ),
    });
    expect(commandsNamed(result.log, 'warning').map(({ message }) => message)).toEqual([
      '`threshold` is not an input of this action; remove it from `with:`.',
    ]);
  });

  it('suggests an input that the operation uses', async () => {
    expect(failedStep(await job.step({ ...lookUp, noncompliant: 'fail' }))).toMatchObject({
      ...errorEnding,
      message: expect.stringContaining('Did you mean `on-non-compliant`?'),
    });
  });

  it('reports rules between inputs together with malformed inputs', async () => {
    const inputs = {
      operation: 'list-attestations',
      flow: 'pr/12',
      'from-timestamp': '2',
      'to-timestamp': '1',
      page: 'last',
    };
    expect(failedStep(await job.step(inputs))).toMatchObject({
      title: '3 mistakes in the workflow',
      message: expect.stringMatching(/`flow`.*\n`page`.*\n`from-timestamp` .* is after `to-timestamp`/u),
    });
  });

  it('writes the summary even where `summary` is the mistake', async () => {
    expect(failedStep(await job.step({ ...lookUp, summary: 'maybe' }))).toMatchObject(errorEnding);
  });

  it('writes no summary of a failure if `summary` is off', async () => {
    const result = await job.step({ ...lookUp, flow: 'pr/12', summary: 'false' });
    expect(result).toMatchObject({ exitCode: 1, summary: '', outputs: { outcome: 'error' } });
  });
});

describe('a step that the service rejects', () => {
  const refused = { ...errorEnding, kind: 'user', title: 'Refused by the compliance service' };

  it('says that the key is wrong', async () => {
    const result = await job.step({ ...lookUp, 'api-token': 'no0such0_key_01234567' });
    expect(failedStep(result)).toMatchObject({
      ...refused,
      message: expect.stringMatching(/returned 401: [^]*\n.*`api-token`/u),
    });
    expect(result.response).toMatchObject({ error: { status: 401 } });
  });

  it('says that the key is of another organization', async () => {
    await job.service.createOrganization('other');
    expect(failedStep(await job.step({ ...lookUp, org: 'other' }))).toMatchObject({
      ...refused,
      message: expect.stringMatching(/returned 403: .*\n.*`org`/u),
    });
  });

  it.each([lookUp, attest])('says in $operation that the flow is not known', async (inputs) => {
    const result = await job.step({ ...inputs, flow: 'unknown' });
    expect(failedStep(result)).toMatchObject({
      ...refused,
      message: expect.stringMatching(
        /returned 404: Flow named 'unknown' does not exist for organization 'acme' \(Flow not found\)\n.*`create-flow`.*`flow`/u,
      ),
    });
    expect(result.response).toMatchObject({ error: { status: 404, message: 'Flow not found' } });
  });

  it('names the environment that is not known', async () => {
    const inputs = { operation: 'diff-environments', 'snapshot-1': 'stage#3', 'snapshot-2': 'prod', retries: '0' };
    expect(failedStep(await job.step(inputs))).toMatchObject({
      ...refused,
      message: expect.stringMatching(
        /returned 404: Environment named 'stage' does not exist for organization 'acme' \(Environment not found\)\n.*`create-environment`/u,
      ),
    });
  });
});

describe('a step on a bad way to the service', () => {
  async function against(fault: Fault): Promise<FailedStep> {
    const server = await startFaultyServer(fault);
    try {
      return failedStep(await job.step({ ...lookUp, 'base-url': server.url.href }));
    } finally {
      await server.close();
    }
  }

  const trouble = { ...errorEnding, kind: 'external', title: 'Service or network error' };

  it('says that nothing listens', async () => {
    const inputs = { ...lookUp, 'base-url': `http://127.0.0.1:${await closedPort()}` };
    expect(failedStep(await job.step(inputs))).toMatchObject({
      ...trouble,
      message: expect.stringMatching(/ECONNREFUSED.*; the request was not sent\nCheck `base-url`/u),
    });
  });

  it('says that the connection broke', async () => {
    expect(await against(resetsBeforeTheAnswer)).toMatchObject(trouble);
  });

  it.each([
    [500, 'external'],
    [503, 'external'],
    [429, 'external'],
    [400, 'user'],
  ])('tells an answer %d as %s, with the service’s words', async (status, kind) => {
    const step = await against(answers(status, { message: 'so it said', errors: { name: 'was odd' } }));
    expect(step).toMatchObject({ ...errorEnding, kind });
    expect(step.message).toContain(`returned ${status}: so it said`);
    expect(step.message).toContain('name: was odd');
  });

  it('says that a proxy of the environment is not a valid URL', async () => {
    const result = await job.step(lookUp, { variables: { HTTPS_PROXY: 'socks5://ann:hush@proxy' } });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringContaining('HTTPS_PROXY'),
    });
    expect(result.log).not.toContain('hush');
  });
});

describe('a step in an unusual job', () => {
  it('takes the commit from the event if git is not installed', async () => {
    const flow = await job.flow('sonar');
    await job.workspace.write('.git/HEAD', 'ref: refs/heads/main\n');
    const result = await job.step({ ...attest, flow }, { variables: { PATH: '/nowhere', Path: '/nowhere' } });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(result.summary).toContain('Ann Dev &lt;ann@example.com&gt;');
  });

  it('says which sources of the commit it tried if none has it', async () => {
    const flow = await job.flow('sonar');
    const variables = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: shas.merge, GITHUB_HEAD_REF: 'feature/lid' };
    const result = await job.step({ ...attest, flow }, { variables, event: pullRequestEvent() });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringContaining(`No source describes the commit ${shas.head}`),
    });
    expect(failedStep(result).message).toContain('github-token');
  });

  it('does not fail without the event file if it does not need it', async () => {
    const flow = await job.flow('artifact');
    await job.report(flow, { fingerprint: fingerprintOf('a') });
    const result = await job.step({ ...lookUp, flow }, { variables: { GITHUB_EVENT_PATH: '/nowhere/event.json' } });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });

  it('says that the file of the event is broken', async () => {
    const path = await job.workspace.write('event.json', '{"ref":');
    const result = await job.step(lookUp, { variables: { GITHUB_EVENT_PATH: path } });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringContaining('event.json is not JSON'),
    });
  });

  it('still annotates if the summary and the outputs cannot be written', async () => {
    const variables = { GITHUB_OUTPUT: '', GITHUB_STEP_SUMMARY: '' };
    const result = await job.step({ ...lookUp, flow: 'unknown' }, { variables });
    expect(result).toMatchObject({ exitCode: 1, errorLog: '' });
    expect(commandsNamed(result.log, 'error')[0]?.message).toContain('Flow not found');
  });

  it('keeps its verdict if it cannot write the summary, and warns', async () => {
    const flow = await job.flow('artifact');
    await job.report(flow, { fingerprint: fingerprintOf('a') });
    const variables = { GITHUB_STEP_SUMMARY: '/nowhere/summary.md' };
    const result = await job.step({ ...lookUp, flow }, { variables });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant' } });
    expect(commandsNamed(result.log, 'warning')).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('summary could not be written to the path in GITHUB_STEP_SUMMARY'),
      }),
    ]);
  });

  itWithSignals.each(['SIGINT', 'SIGTERM'] as const)(
    'ends promptly on %s while the service keeps it waiting, and tells why',
    async (signal) => {
      const server = await startFaultyServer(neverAnswers);
      try {
        const inputs = { ...lookUp, 'base-url': server.url.href, timeout: '3600' };
        const result = await job.step(inputs, { kill: { when: '::group::Look up artifacts', signal } });
        expect(failedStep(result)).toMatchObject({
          ...errorEnding,
          title: 'Cancelled',
          message: expect.stringContaining(`the step was cancelled (${signal}) before it finished`),
        });
        expect(textAt(result.response, 'error', 'what')).toContain('cancelled');
      } finally {
        await server.close();
      }
    },
  );
});
