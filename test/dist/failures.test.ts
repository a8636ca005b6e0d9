import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import { actionFolder } from '../../tools/run-action.ts';
import { type ActionJob, jobCommit, openActionJob } from '../support/action-job.ts';
import { fingerprintOf } from '../support/artifacts.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { neverAnswers } from '../support/faults.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { itWithPosixFiles, itWithSignals } from '../support/platform.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { commandsNamed } from '../support/workflow-command.ts';

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
});

describe('a step on a bad way to the service', () => {
  it('says that nothing listens', async () => {
    const inputs = { ...lookUp, 'base-url': `http://127.0.0.1:${await closedPort()}` };
    expect(failedStep(await job.step(inputs))).toMatchObject({
      ...errorEnding,
      kind: 'external',
      title: 'Service or network error',
      message: expect.stringMatching(/ECONNREFUSED.*; the request was not sent\nCheck `base-url`/u),
    });
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

  itWithPosixFiles('runs git although the folder that it was started in was removed', async () => {
    const flow = await job.flow('sonar');
    const action = pathToFileURL(join(actionFolder, 'index.js')).href;
    const start = `const gone = fs.mkdtempSync('${job.workspace.path}/'); process.chdir(gone); fs.rmdirSync(gone); import('${action}')`;
    const program = [process.execPath, '-e', start];
    const result = await job.step({ ...attest, flow }, { program });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant' } });
    const withoutFolder = await job.step({ ...attest, flow }, { program, variables: { GITHUB_WORKSPACE: undefined } });
    expect(failedStep(withoutFolder)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringContaining('the working folder of the step was removed'),
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
