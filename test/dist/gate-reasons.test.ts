import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionRun } from '../../tools/run-action.ts';
import { describeFault } from '../../src/contract/reason.ts';
import { readReasons } from '../../src/operations/reasons.ts';
import { listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { openActionJob, type ActionJob } from '../support/action-job.ts';
import { pod, reportPods, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { shas } from '../support/events.ts';
import { openPullRequest, type PullRequestJob } from '../support/pull-request-job.ts';
import { call } from '../support/service-call.ts';
import {
  attestationForm,
  fingerprintOf,
  sampleArtifact,
  sampleTemplate,
  saveFlowTemplate,
} from '../support/service-samples.ts';
import { commandsNamed } from '../support/workflow-command.ts';

/** The flow of the test: a scan and the tests of the change, and the artifact `web` with its load tests. */
const template = sampleTemplate({ scan: 'generic', unit: 'junit' }, { load: 'junit' });

const strictPolicy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
`;

let job: ActionJob;
let request: PullRequestJob;

beforeAll(async () => {
  job = await openActionJob();
  request = await openPullRequest(job);
  await saveFlowTemplate(job.service, template);
  await saveFlowTemplate(job.service, 'version: 1\n', 'empty');
  await savePolicy(job.service, 'strict', strictPolicy);
  await saveEnvironment(job.service, 'prod', { policies: ['strict'] });
  await begin('empty', 'begun');
  for (const trail of ['good', 'red', 'open', 'wrong'] as const) {
    const fingerprint = fingerprintOf(digits[trail]);
    await send(`/artifacts/acme/web`, 'POST', undefined, {
      ...sampleArtifact({ fingerprint, trail_name: trail, git_commit: shas.head }),
      ...{ template_reference_name: 'web', filename: `${trail}.tgz` },
    });
    await attest(trail, 'generic', {
      ...{ attestation_name: 'scan', is_compliant: trail !== 'red' },
      ...(trail === 'red' ? { description: '2 high vulnerabilities' } : {}),
    });
    if (trail === 'wrong') await attest(trail, 'generic', { attestation_name: 'unit', is_compliant: true });
    else if (trail !== 'open') await attest(trail, 'junit', { attestation_name: 'unit', junit_results: [results] });
    await attest(trail, 'junit', { attestation_name: 'load', target_artifacts: ['web'], junit_results: [results] });
  }
  await reportPods(job.service, 'prod', pod('web-1', { web: digits.red }));
});

afterAll(async () => {
  await request.close();
  await job.close();
});

const digits = { good: 'aaaa', red: 'bbbb', open: 'cccc', wrong: 'dddd' } as const satisfies Record<string, string>;
const results = { name: 'tests', total: 1, failures: 0, errors: 0, skipped: 0, duration: 1 };

async function send(path: string, method: string, form?: FormData, json?: unknown): Promise<void> {
  const { status, text } = await call(job.service, {
    path,
    method,
    ...(form === undefined ? {} : { form }),
    ...(json === undefined ? {} : { json }),
  });
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
}

const begin = (flow: string, name: string): Promise<void> =>
  send(`/trails/acme/${flow}`, 'PUT', attestationForm({ name }));
const attest = (trail: string, kind: string, document: object): Promise<void> =>
  send(`/attestations/acme/web/trail/${trail}/${kind}`, 'POST', attestationForm(document));

/** What a step asks, how it ends, and what it must name to a reader. */
interface Situation {
  readonly title: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly names: readonly string[];
}

const byArtifact = (operation: string, trail: keyof typeof digits | 'never'): Readonly<Record<string, string>> => ({
  ...{ operation, flow: 'web' },
  fingerprint: fingerprintOf(trail === 'never' ? 'eeee' : digits[trail]),
});
const byTrail = (trail: string, flow = 'web'): Readonly<Record<string, string>> => ({
  operation: 'assert-trail',
  flow,
  trail,
});

const situations: readonly Situation[] = [
  ...['get-artifact', 'assert-artifact'].flatMap((operation): readonly Situation[] => [
    { title: `${operation}: good`, inputs: byArtifact(operation, 'good'), outcome: 'compliant', names: [] },
    { title: `${operation}: failed`, inputs: byArtifact(operation, 'red'), outcome: 'non-compliant', names: ['scan'] },
    { title: `${operation}: missing`, inputs: byArtifact(operation, 'open'), outcome: 'incomplete', names: ['unit'] },
    {
      title: `${operation}: of another type`,
      inputs: byArtifact(operation, 'wrong'),
      outcome: 'incomplete',
      names: ['unit'],
    },
    {
      title: `${operation}: never reported`,
      inputs: byArtifact(operation, 'never'),
      outcome: 'incomplete',
      names: ['eeee00000000', 'not reported to flow web'],
    },
  ]),
  { title: 'assert-trail: good', inputs: byTrail('good'), outcome: 'compliant', names: [] },
  { title: 'assert-trail: failed', inputs: byTrail('red'), outcome: 'non-compliant', names: ['scan'] },
  { title: 'assert-trail: missing', inputs: byTrail('open'), outcome: 'incomplete', names: ['unit'] },
  { title: 'assert-trail: of another type', inputs: byTrail('wrong'), outcome: 'incomplete', names: ['unit'] },
  {
    title: 'assert-trail: nothing was recorded',
    inputs: byTrail('never'),
    outcome: 'incomplete',
    names: ['nothing was recorded to it'],
  },
  {
    title: 'assert-trail: nothing is required',
    inputs: byTrail('begun', 'empty'),
    outcome: 'incomplete',
    names: ['no evidence is required, and none was recorded'],
  },
  {
    title: 'assert-artifact: by an environment',
    inputs: { ...byArtifact('assert-artifact', 'red'), environment: 'prod' },
    outcome: 'non-compliant',
    names: ['strict'],
  },
  {
    title: 'list-attestations: failed',
    inputs: { operation: 'list-attestations', flow: 'web', page: 'all', 'on-non-compliant': 'fail' },
    outcome: 'non-compliant',
    names: ['scan', 'red', '2 high vulnerabilities'],
  },
  {
    title: 'list-snapshots: failed',
    inputs: { operation: 'list-snapshots', environment: 'prod', 'on-non-compliant': 'fail' },
    outcome: 'non-compliant',
    names: ['not compliant'],
  },
];

/** What the reasons in the service's answer say; nothing if it has none. */
function answeredReasons({ response }: ActionRun): readonly string[] {
  const [first] = Array.isArray(response) ? (response as readonly unknown[]) : [response];
  return readReasons(listAt(first, 'reasons')).map(describeFault);
}

const plainText = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/gu, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");

/** The places where a reader sees the reasons, besides the commit status. */
function placesOf({ log, summary }: ActionRun): Readonly<Record<string, string>> {
  return {
    annotation: commandsNamed(log, 'error')[0]?.message ?? '',
    summary: plainText(summary),
    comment: plainText(request.repository.comments.at(-1)?.body ?? ''),
    log,
  };
}

describe('a gate', () => {
  it.each(situations)('tells the same everywhere: $title', async ({ title: context, inputs, outcome, names }) => {
    const publication = { 'pull-request-comment': 'true', 'commit-status': context };
    const result = await request.step({ ...inputs, ...publication }, { GITHUB_ACTION: context });
    const status = request.repository.statuses.find((each) => each.context === context);
    const [exitCode, state] = outcome === 'compliant' ? ([0, 'success'] as const) : ([1, 'failure'] as const);
    expect(result).toMatchObject({ exitCode, errorLog: '', outputs: { outcome, compliant: String(exitCode === 0) } });
    expect(status?.state).toBe(state);
    expect(commandsNamed(result.log, 'error')).toHaveLength(exitCode);
    if (outcome === 'compliant') return;
    const expected = [...names, ...answeredReasons(result).slice(0, 5)];
    for (const [place, text] of Object.entries(placesOf(result))) {
      expect([place, expected.filter((words) => !text.includes(words))]).toEqual([place, []]);
    }
    const word = outcome === 'incomplete' ? 'Incomplete' : 'Non-compliant';
    expect(status?.description).toMatch(new RegExp(`^${word}: .*${names.at(0) ?? ''}`, 'u'));
    expect(result.summary).toMatch(new RegExp(`^<h2>\\S+ ${word}: .*</h2>\n<ul><li>`, 'u'));
  });

  it('is an error that names create-flow if there is no such flow, whatever on-non-compliant says', async () => {
    for (const operation of ['get-artifact', 'assert-artifact', 'assert-trail', 'list-attestations']) {
      const about = operation.endsWith('artifact') ? { fingerprint: fingerprintOf('aaaa') } : {};
      const result = await request.step({ operation, flow: 'nowhere', 'on-non-compliant': 'ignore', ...about });
      expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'error' } });
      expect(commandsNamed(result.log, 'error')).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/Flow .*(?:not found|does not exist)[^]*`create-flow`/u),
        }),
      ]);
    }
  });
});

describe('the step assert-trail', () => {
  it('judges the trail of the commit of the event, without a checkout, and sets every output', async () => {
    const trail = 'a'.repeat(40);
    await attest(trail, 'generic', { attestation_name: 'scan', is_compliant: true });
    const result = await request.step({ operation: 'assert-trail', flow: 'web', 'on-non-compliant': 'warn' });
    expect(result).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'incomplete', compliant: 'false', state: 'INCOMPLETE' },
      response: { name: trail, flow: 'web', compliance_state: 'INCOMPLETE' },
    });
    expect(result.outputs['html-url']).toBe(textAt(result.response, 'html_url'));
    const page = await fetch(result.outputs['html-url'] ?? '', {
      headers: { authorization: `Bearer ${job.service.apiKey}` },
    });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Incomplete');
    expect(valueAt(JSON.parse(result.outputs['response'] ?? ''), 'name')).toBe(trail);
  });
});
