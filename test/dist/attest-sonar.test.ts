import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { maximumFileBytes } from '../../src/contract/limits.ts';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobCommit, jobForAllTests, type StepOptions } from '../support/action-job.ts';
import {
  analysisId,
  finishedAnalysis,
  reportText,
  unfinishedTask,
  taskId,
  webhookPayloadWith,
} from '../support/sonar-analysis.ts';
import { startSonarServer, type Reply, type SonarState } from '../support/fake-sonar.ts';
import { shas, workflowRunEvent } from '../support/events.ts';
import { onDefault } from '../support/event-runs.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { readTar } from '../support/tar-reader.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';
import { itWithSignals } from '../support/platform.ts';

const job = jobForAllTests();

beforeAll(async () => {
  await job.workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
});

/** A flow that asks its artifacts for `sonar`, and an artifact in it, in the trail of the job's commit. */
async function flowWithArtifact(): Promise<{ flow: string; fingerprint: string }> {
  const flow = await job.flow('artifact', 'sonar');
  const fingerprint = randomBytes(32).toString('hex');
  expect(await job.report(flow, { fingerprint })).toBe(201);
  return { flow, fingerprint };
}

function attest(more: Readonly<Record<string, string>>, options?: StepOptions): Promise<ActionRun> {
  return job.step(
    { operation: 'attest-sonar', 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn', ...more },
    options,
  );
}

/** What the service has on record for an artifact. */
async function recorded({ flow, fingerprint }: { flow: string; fingerprint: string }): Promise<unknown> {
  const answer = await job.ask(`/artifacts/acme/${flow}/fingerprint/${fingerprint}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

/** The file that came with the attestation `sonar` of an artifact. */
async function attachmentOf(artifact: unknown): Promise<{ name: string; content: Buffer }> {
  const page = textAt(artifact, 'evidence', 'sonar', 'html_url') ?? '';
  const answer = await fetch(`${page}/attachment`, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
  expect(answer.status).toBe(200);
  const name = /filename\*=UTF-8''(.*)$/u.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '';
  return { name: decodeURIComponent(name), content: Buffer.from(await answer.arrayBuffer()) };
}

describe('the step attest-sonar, from a JSON report', () => {
  it.each([
    ['OK', 0, 'compliant', 'true', 'COMPLIANT'],
    ['ERROR', 1, 'non-compliant', 'false', 'NON-COMPLIANT'],
    ['WARN', 1, 'incomplete', 'false', 'INCOMPLETE'],
    ['NONE', 1, 'incomplete', 'false', 'INCOMPLETE'],
  ])('puts the gate %s on record first, and then ends with %d', async (status, exitCode, outcome, compliant, state) => {
    const [target] = await Promise.all([
      flowWithArtifact(),
      job.workspace.write(`gate-${status}.json`, JSON.stringify(webhookPayloadWith(status, jobCommit))),
    ]);
    const result = await attest({ flow: target.flow, 'sonar-report-path': `gate-${status}.json` });
    expect(result).toMatchObject({
      exitCode,
      errorLog: '',
      outputs: { outcome, compliant, state: status, response: '"OK"' },
      response: 'OK',
    });
    expect(result.outputs['html-url']).toBe('https://mycompany.com/sonarqube/dashboard?id=myproject');
    expect(await recorded(target)).toMatchObject({ state, evidence: { sonar: { has_attachment: false } } });
    expect(commandsNamed(result.log, 'error')).toHaveLength(exitCode);
    expect(result.summary).toContain('<code>new_security_rating</code>');
  });

  it.each(['1', 'all'])('gives every digit of the user data back, in a list of page %s', async (page) => {
    const flow = await job.flow('sonar');
    const numbers = '{"id":12345678901234567890,"values":[1e400,-0,1.0]}';
    expect(await attest({ flow, 'user-data': `{"mine":${numbers}}` })).toMatchObject({ exitCode: 0 });
    const listed = await job.step({ operation: 'list-attestations', flow, page });
    expect(listed).toMatchObject({ exitCode: 0, errorLog: '' });
    expect(listed.outputs['response']).toContain(`"mine":${numbers}`);
  });

  it('rejects a name and a description that are too long, and user data with a key twice, before it sends', async () => {
    const flow = await job.flow('sonar');
    const result = await attest({
      flow,
      trail: 't'.repeat(256),
      description: 'd'.repeat(65_537),
    });
    expect(result.exitCode).toBe(1);
    const [shown] = commandsNamed(result.log, 'error');
    expect(shown?.message).toContain('at most 255 characters long');
    expect(shown?.message).toContain('must be at most 65536 characters long');
    const twice = await attest({ flow, 'user-data': '{"ticket":1,"ticket":2}' });
    expect(twice.exitCode).toBe(1);
    expect(commandsNamed(twice.log, 'error')[0]?.message).toContain('contains the key "ticket" twice in one object');
    expect(await (await job.ask(`/attestations/acme/${flow}`)).json()).toMatchObject({ pagination: { total: 0 } });
  });

  it('never takes a gate status that Sonar does not document for a pass; the analysis is on record all the same', async () => {
    await job.workspace.write('odd.json', JSON.stringify(webhookPayloadWith('PASSED', jobCommit)));
    const target = await flowWithArtifact();
    const result = await attest({
      flow: target.flow,
      'sonar-report-path': 'odd.json',
      'on-non-compliant': 'ignore',
    });
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'error', compliant: '', state: 'PASSED' } });
    expect(await recorded(target)).toHaveProperty('evidence.sonar');
  });

  it.each([
    ['warn', 1],
    ['ignore', 0],
  ])('goes on with on-non-compliant: %s', async (onNonCompliant, warnings) => {
    await job.workspace.write('red.json', JSON.stringify(webhookPayloadWith('ERROR', jobCommit)));
    const { flow } = await flowWithArtifact();
    const result = await attest({ flow, 'sonar-report-path': 'red.json', 'on-non-compliant': onNonCompliant });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'non-compliant', compliant: 'false' } });
    // Besides the one about the revision of a JSON report.
    expect(commandsNamed(result.log, 'warning')).toHaveLength(warnings + 1);
  });

  it('rejects an analysis of another commit, and records nothing', async () => {
    await job.workspace.write('other.json', JSON.stringify(webhookPayloadWith('OK', 'e'.repeat(40))));
    const target = await flowWithArtifact();
    const result = await attest({ flow: target.flow, 'sonar-report-path': 'other.json' });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringContaining('e'.repeat(40)),
    });
    expect(await recorded(target)).toHaveProperty('evidence', {});
  });

  it('on an event on which scanners report GITHUB_SHA, says how to scan the commit that the event is about', async () => {
    const { flow } = await flowWithArtifact();
    const run = {
      event: workflowRunEvent(),
      variables: { ...onDefault, GITHUB_EVENT_NAME: 'workflow_run' },
    };
    await job.workspace.write('base.json', JSON.stringify(webhookPayloadWith('OK', shas.base)));
    const refused = failedStep(await attest({ flow, 'sonar-report-path': 'base.json' }, run));
    expect(refused).toMatchObject({ ...errorEnding, kind: 'user' });
    expect(refused.message).toContain(`is for commit ${shas.base}`);
    expect(refused.message).toContain(`is ${shas.head} (event workflow_run)`);
    expect(refused.message).toContain('-Dsonar.scm.revision=${{ github.event.workflow_run.head_sha }}');
    expect(refused.message).not.toContain('commit-sha');
    expect(await attest({ flow }, run)).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });

  it('attests to the trail, the name and the artifact of the inputs', async () => {
    const { flow, fingerprint } = await flowWithArtifact();
    const inputs = {
      flow,
      fingerprint,
      trail: 'pr-12',
      'attestation-name': 'web.quality',
      description: 'Nightly',
      'user-data': '{"ticket": "ABC-1"}',
    };
    const early = failedStep(await attest(inputs));
    expect(early.message).toContain(
      `404: Artifact with fingerprint ${fingerprint} does not exist in trail "pr-12" of flow "${flow}"`,
    );
    expect(await job.report(flow, { fingerprint, trail: 'pr-12' })).toBe(201);
    const result = await attest(inputs);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(await recorded({ flow, fingerprint })).toMatchObject({
      evidence: { quality: { trail_name: 'pr-12', status: 'compliant' } },
    });
  });

  it('says what is wrong with its own inputs before it looks for anything', async () => {
    const { flow } = await flowWithArtifact();
    const [broken, missing] = await Promise.all([
      attest({ flow, 'user-data': '{"ticket":' }),
      attest({ flow, 'sonar-report-path': 'nowhere.json' }),
    ]);
    expect(failedStep(broken).message).toContain('`user-data` is not JSON');
    expect(failedStep(missing)).toMatchObject({ ...errorEnding, message: expect.stringContaining('nowhere.json') });
  });
});

describe('the step attest-sonar, with attachments', () => {
  it('sends one file as it is, under its own name', async () => {
    const content = randomBytes(5000);
    await job.workspace.write('reports/Ünit tests.xml', content);
    const target = await flowWithArtifact();
    expect(await attest({ flow: target.flow, files: 'reports/*.xml' })).toMatchObject({ exitCode: 0 });
    expect(await attachmentOf(await recorded(target))).toEqual({ name: 'Ünit tests.xml', content });
  });

  it('sends several files as one archive, the same bytes each time', async () => {
    await job.workspace.write('coverage/lcov.info', 'TN:\n');
    await job.workspace.write('coverage/deep/notes.txt', 'notes\n');
    await job.workspace.write('coverage/deep/x.tmp', 'not this\n');
    const [first, second] = [await flowWithArtifact(), await flowWithArtifact()];
    const files = 'coverage/**\n!**/*.tmp';
    expect((await attest({ flow: first.flow, files })).exitCode).toBe(0);
    expect((await attest({ flow: second.flow, files })).exitCode).toBe(0);
    const archive = await attachmentOf(await recorded(first));
    expect(archive.name).toBe('evidence.tgz');
    expect(readTar(gunzipSync(archive.content)).map(({ name, content }) => [name, content.toString()])).toEqual([
      ['coverage/deep/notes.txt', 'notes\n'],
      ['coverage/lcov.info', 'TN:\n'],
    ]);
    expect((await attachmentOf(await recorded(second))).content.equals(archive.content)).toBe(true);
  });

  it('leaves no archive behind in the runner’s folder for temporary files', async () => {
    await job.workspace.write('left/a.txt', 'a');
    await job.workspace.write('left/b.txt', 'b');
    const { flow } = await flowWithArtifact();
    const result = await attest({ flow, files: 'left/*' }, { variables: { RUNNER_TEMP: job.workspace.path } });
    expect(result.exitCode).toBe(0);
    const left = await readdir(job.workspace.path, { recursive: true });
    expect(left.filter((path) => path.endsWith('.tgz'))).toEqual([]);
  });

  it('sends exactly 10 MiB, under the plain name of the part as well', async () => {
    const content = randomBytes(maximumFileBytes);
    await job.workspace.write('exact.bin', content);
    const [indexed, plain] = [await flowWithArtifact(), await flowWithArtifact()];
    const results = await Promise.all([
      attest({ flow: indexed.flow, files: 'exact.bin' }),
      attest({ flow: plain.flow, files: 'exact.bin', 'file-parts': 'plain' }),
    ]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    for (const target of [indexed, plain]) {
      expect((await attachmentOf(await recorded(target))).content.equals(content)).toBe(true);
    }
  });

  it('sends nothing of a file that is one byte larger, and lists its size', async () => {
    await job.workspace.write('over.bin', randomBytes(maximumFileBytes + 1));
    const target = await flowWithArtifact();
    const result = await attest({ flow: target.flow, files: 'over.bin' });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringMatching(/over\.bin: .*10[, ]?485[, ]?761/u),
    });
    expect(await recorded(target)).toHaveProperty('evidence', {});
  });
});

const marks: Readonly<Record<string, string>> = { OK: '✅ ', ERROR: '❌ ', WARN: '⚠️ ' };

describe('the step attest-sonar, from a report of a scanner', () => {
  /** Lets a step attest what a Sonar server holds, by the report that the scanner left in the usual place. */
  async function attestScan(
    state: Partial<SonarState>,
    more: Readonly<Record<string, string>>,
    options?: StepOptions,
    first: readonly Reply[] = [],
  ): Promise<ActionRun> {
    const sonar = await startSonarServer({ state: { ...finishedAnalysis(jobCommit), ...state } });
    sonar.instead('api/ce/task', ...first);
    try {
      await job.workspace.write('scanned/.scannerwork/report-task.txt', reportText(sonar.url));
      const inputs = {
        'sonar-report-path': 'scanned',
        'sonar-token': 'squ_user_token_0123',
        'sonar-host-url': sonar.url,
      };
      return await attest({ ...inputs, ...more }, options);
    } finally {
      await sonar.close();
    }
  }

  function gate(status: string): Partial<SonarState> {
    const conditions = [
      { status, metricKey: 'new_coverage', comparator: 'LT', errorThreshold: '80', actualValue: '61.2' },
    ];
    return { gates: { [analysisId]: { status, conditions } } };
  }

  it.each([
    ['OK', 0, 'compliant'],
    ['ERROR', 1, 'non-compliant'],
    ['WARN', 1, 'incomplete'],
    ['NONE', 1, 'incomplete'],
  ])('reads the gate %s from the server, records it, and ends with %d', async (status, exitCode, outcome) => {
    const target = await flowWithArtifact();
    const result = await attestScan(gate(status), { flow: target.flow });
    expect(result).toMatchObject({ exitCode, errorLog: '', outputs: { outcome, state: status } });
    expect(result.summary).toContain(
      `<tr><td><code>new_coverage</code></td><td>61.2</td><td>at least 80 is required</td><td>${marks[status] ?? ''}${status}</td></tr>`,
    );
    expect(result.summary).toContain(status);
    expect(valueAt(await recorded(target), 'evidence', 'sonar', 'status')).toBe(outcome);
    if (status === 'ERROR') {
      expect(commandsNamed(result.log, 'error')[0]?.message).toContain(
        'sonar is NON-COMPLIANT: new_coverage is 61.2; at least 80 is required (quality gate)',
      );
    }
  });

  it('waits for a server that is restarting, and says so', async () => {
    const { flow } = await flowWithArtifact();
    const unknownUrl = {
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ errors: [{ msg: 'Unknown url : /api/ce/task' }] }),
    };
    const result = await attestScan({}, { flow }, undefined, [{ cut: true }, unknownUrl]);
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(shownLines(result.log).join('\n')).toMatch(/asking again for up to 300 s[^]*Sonar is still starting/u);
  });

  it('says why the background task failed, and records nothing', async () => {
    const target = await flowWithArtifact();
    const failed = { ...unfinishedTask('PENDING'), status: 'FAILED', errorMessage: 'Not enough memory to analyse' };
    const result = await attestScan({ tasks: { [taskId]: [failed] } }, { flow: target.flow });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'external',
      title: 'Service or network error',
      message: expect.stringContaining('Not enough memory to analyse'),
    });
    expect(await recorded(target)).toHaveProperty('evidence', {});
  });

  it('blames the token where Sonar does not know it', async () => {
    const { flow } = await flowWithArtifact();
    const result = await attestScan({}, { flow, 'sonar-token': 'squ_unknown_token_0123' });
    expect(failedStep(result)).toMatchObject({ ...errorEnding, message: expect.stringContaining('sonar-token') });
    expect(result.log.replaceAll(/^::add-mask::.*$/gmu, '')).not.toContain('squ_unknown_token_0123');
  });

  itWithSignals('ends promptly when the job is cancelled while it waits, and still tells everything', async () => {
    const { flow } = await flowWithArtifact();
    const result = await attestScan(
      { tasks: { [taskId]: [unfinishedTask('PENDING')] } },
      { flow, 'sonar-timeout': '21600' },
      { kill: { when: 'is PENDING after', signal: 'SIGTERM' } },
    );
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      message: expect.stringContaining('the step was cancelled (SIGTERM)'),
    });
    expect(shownLines(result.log).join('\n')).toContain('is PENDING after');
  });
});
