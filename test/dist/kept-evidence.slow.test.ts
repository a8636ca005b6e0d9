import { availableParallelism } from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatheredAtKey } from '../../src/contract/attestations/attestation-fields.ts';
import { idempotencyDataKey } from '../../src/contract/idempotency.ts';
import { isMapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, jobCommit, openActionJob } from '../support/action-job.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { type FakeGitHub, startGitHub } from '../support/fake-github.ts';
import { pullRequestAnswers } from '../support/pull-request-answers.ts';
import { type RecordedAnswer, type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts';
import { spoolRunAnswer } from '../support/replay-spools.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { commandsIn } from '../support/workflow-command.ts';

type Inputs = Readonly<Record<string, string>>;

/** What `files` can name: attachments, or artifacts. */
const files: Readonly<Record<string, Inputs>> = {
  'one file': { files: 'notes/one.txt' },
  'several files': { files: 'notes/*.txt' },
  'a folder': { files: 'notes' },
  'a .gz': { files: 'log.gz' },
};
const attachments = { 'no file': {}, ...files };
const templates = { 'no file': {}, 'one file': { 'template-file': 'template.yml' } };
const fingerprints = { 'no file': { fingerprint: 'a'.repeat(64), filename: 'web.tgz' }, ...files };

/** Every operation that records evidence: the inputs that it needs, and the files that it takes. */
const operations: Readonly<Record<string, readonly [Inputs, Readonly<Record<string, Inputs>>]>> = {
  'attest-sonar': [{ 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn' }, attachments],
  'attest-generic': [{ 'attestation-name': 'licences', compliant: 'true' }, attachments],
  'attest-junit': [{ 'attestation-name': 'unit', 'junit-path': 'junit/one.xml' }, attachments],
  'attest-junit with two reports': [{ 'attestation-name': 'unit', 'junit-path': 'junit/*.xml' }, { 'no file': {} }],
  'attest-pull-request': [{}, attachments],
  'attest-artifact': [{}, fingerprints],
  'begin-trail': [{}, templates],
};

/** A step; its trail is its own, so that its requests can be found. */
const cases = Object.entries(operations).flatMap(([title, [needed, forms]], row) =>
  Object.entries(forms).map(([form, own], column) => ({
    title: `${title}, ${form}`,
    trail: `trail-${row}-${column}`,
    inputs: { operation: title.split(' ')[0] ?? '', ...needed, ...own },
  })),
);

let job: ActionJob;
let github: FakeGitHub;
let proxy: RecordingProxy;
let replayed: ActionRun;
const delivered = new Map<string, ActionRun>();
const kept = new Map<string, ActionRun>();

beforeAll(async () => {
  job = await openActionJob();
  proxy = await startRecordingProxy(job.service.baseUrl);
  const created_at = new Date(Date.now() - 60_000).toISOString();
  github = await startGitHub({
    ...pullRequestAnswers(jobCommit),
    '/repos/acme/widgets/actions/runs/4242': { status: 200, body: { ...spoolRunAnswer, created_at } },
  });
  const { workspace } = job;
  await workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
  for (const name of ['one', 'two']) {
    await workspace.write(`notes/${name}.txt`, `the notes of ${name}\n`);
    await workspace.write(`junit/${name}.xml`, `<testsuite name="${name}"><testcase name="works"/></testsuite>`);
  }
  await workspace.write('log.gz', gzipSync('a line\n'.repeat(100_000)));
  await workspace.write('template.yml', 'version: 1\ntrail:\n  attestations: [{ name: unit, type: junit }]\n');

  const flow = await job.flow();
  const waiting = cases.values();
  const worker = async (): Promise<void> => {
    for (const { title, trail, inputs } of waiting) {
      const step = { flow, trail, ...inputs };
      delivered.set(title, await run({ ...step, 'base-url': proxy.baseUrlFor('delivered') }));
      kept.set(title, await run({ ...step, ...keepInOutage, 'spool-path': 'spools/4242' }));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
  replayed = await run({ operation: 'replay', 'spool-path': 'spools', 'base-url': proxy.baseUrlFor('replayed') });
}, 60_000);

afterAll(async () => {
  await Promise.all([github.close(), proxy.close()]);
  await job.close();
});

/** Nothing listens on port 9 of the loopback interface. */
const keepInOutage = { 'base-url': 'http://127.0.0.1:9', retries: '0', 'on-outage': 'keep' };

function run(inputs: Inputs): Promise<ActionRun> {
  return job.step({ 'github-token': 'ghs_0123456789abcdef', ...inputs }, { variables: { GITHUB_API_URL: github.url } });
}

/** What a request says: its documents without what differs from step to step, and its files, by the heads of the parts. */
function contentOf({ method, path, sentType, sent }: RecordedAnswer): unknown {
  const text = sent.toString('latin1');
  const [, boundary] = sentType.split('; boundary=');
  if (boundary === undefined) return { method, path, document: lasting(JSON.parse(sent.toString())) };
  const parts = text.split(`--${boundary}`).slice(1, -1);
  const content = parts.map((part) => {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const body = rest.join('\r\n\r\n');
    return [head.trim(), head.includes('filename=') ? body : lasting(JSON.parse(body))] as const;
  });
  return { method, path, parts: Object.fromEntries(content) };
}

/** A document without the time and the key of the step that gathered it. */
function lasting(document: unknown): unknown {
  const data = valueAt(document, 'user_data');
  if (!isMapping(document) || !isMapping(data)) return document;
  const isOwn = ([name]: readonly [string, unknown]): boolean => ![gatheredAtKey, idempotencyDataKey].includes(name);
  return { ...document, user_data: Object.fromEntries(Object.entries(data).filter(isOwn)) };
}

/** What was sent for a trail, in any order: artifacts are gathered at the same moment. */
function contentFor(label: 'delivered' | 'replayed', trail: string): readonly unknown[] {
  const writes = proxy.answersTo(label).filter(({ method }) => method !== 'GET');
  const own = writes.filter(({ path, sent }) => `${path} ${sent.toString('latin1')}`.includes(trail));
  return own.map(contentOf).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

describe('evidence that is kept while the service is down', () => {
  it.each(cases)('is recorded later as if it had been delivered at once: $title', ({ title, trail }) => {
    expect(delivered.get(title)).toMatchObject({ exitCode: 0, errorLog: '' });
    expect(kept.get(title)).toMatchObject({
      exitCode: 0,
      errorLog: '',
      outputs: { outcome: 'kept', compliant: '' },
      summary: expect.stringContaining('The service did not confirm the evidence, so it was kept in'),
    });
    const sent = contentFor('delivered', trail);
    expect(sent).not.toEqual([]);
    expect(contentFor('replayed', trail)).toEqual(sent);
  });

  it('has single files, and archives of several', () => {
    const sent = proxy.answersTo('replayed').map((answer) => answer.sent.toString('latin1'));
    const names = sent.flatMap((text) => [...text.matchAll(/filename="([^"]+)"/gu)].map(([, name]) => name));
    expect([...new Set(names)].sort()).toEqual(['evidence.tgz', 'log.gz', 'one.txt', 'one.xml', 'template.yml']);
  });

  it('is delivered by one replay', () => {
    const { exitCode, errorLog, outputs, log } = replayed;
    expect({ exitCode, errorLog, outcome: outputs['outcome'], log }).toEqual({
      exitCode: 0,
      errorLog: '',
      outcome: 'done',
      log: expect.any(String),
    });
    expect(proxy.answersTo('replayed').filter(({ status }) => status >= 300)).toEqual([]);
  });
});

describe('evidence that can be neither delivered nor kept', () => {
  const attest = { operation: 'attest-generic', 'attestation-name': 'licences', flow: 'web', ...keepInOutage };
  /** A file, which cannot be the folder of a spool. */
  const occupied = { 'spool-path': 'log.gz' };
  const lost = 'Evidence neither confirmed nor kept: Evidence licences';
  const verdict = 'Non-compliant: Evidence licences';

  it.each([
    ['fail', [`error ${lost}`, `error ${verdict}`]],
    ['warn', [`error ${lost}`, `warning ${verdict}`]],
    ['ignore', [`error ${lost}`]],
  ])('fails the step beside a red verdict, which stays, with on-non-compliant: %s', async (gate, annotations) => {
    const red = { ...attest, compliant: 'false', ...occupied, 'on-non-compliant': gate };
    const { exitCode, outputs, summary, log, response } = await run(red);
    expect({ exitCode, outputs }).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'non-compliant', compliant: 'false', 'spool-path': '' },
    });
    const shown = commandsIn(log).filter(({ name }) => ['error', 'warning'].includes(name));
    expect(shown.map(({ name, properties }) => `${name} ${properties['title'] ?? ''}`).sort()).toEqual(annotations);
    expect(summary).toContain('<h2>❌ Non-compliant: Evidence licences</h2>');
    expect(summary).toMatch(
      /did not confirm the evidence, and it could not be kept either.*ECONNREFUSED.*`spool-path`/su,
    );
    expect(textAt(response, 'error', 'what')).toContain('could not be kept either');
  });

  it.each<Inputs>([
    { ...attest, compliant: 'true' },
    { ...attest, operation: 'attest-artifact', 'attestation-name': '', files: 'notes' },
    { ...attest, operation: 'attest-artifact', 'attestation-name': '', files: 'notes/*.txt' },
    { ...attest, operation: 'begin-trail', 'attestation-name': '' },
  ])('is an error if no red verdict keeps the gate closed: $operation $files', async (inputs) => {
    const failed = failedStep(await run({ ...inputs, ...occupied }));
    expect(failed).toMatchObject({ ...errorEnding, title: 'Service or network error' });
    expect(failed.message).toMatch(/ECONNREFUSED.*\n.*could not be kept either: .*`spool-path`.*is a file/u);
  });
});
