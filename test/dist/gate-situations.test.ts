import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeFault, type Reason } from '../../src/contract/reason.ts';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, openActionJob } from '../support/action-job.ts';
import { changePolicies, pod, reportPods, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { shas } from '../support/events.ts';
import { openPullRequest, type PullRequestJob } from '../support/pull-request-job.ts';
import { call } from '../support/service-call.ts';
import {
  attestationForm,
  commitOf,
  fingerprintOf,
  sampleArtifact,
  sampleTemplate,
  saveFlowTemplate,
} from '../support/service-samples.ts';
import { commandsNamed } from '../support/workflow-command.ts';

/*
 * Every gate in every situation: exit code and outcome of the step, the reasons in its annotation, summary, comment and
 * commit status, the service's answer, and its page agree.
 */

const template = sampleTemplate({ scan: 'generic' }, { sonar: 'sonar' });
const policy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
    exceptions:
      - if: \${{ exists(flow) and flow.name == "exempted" }}
`;

type Outcome = 'compliant' | 'incomplete' | 'non-compliant';

/** What is on record of a situation, each in a flow and an environment of its own. */
interface Situation {
  readonly fingerprint: string;
  /** In the order of recording: kind, and what differs from compliant evidence of that name. */
  readonly evidence: readonly (readonly [kind: string, document: Readonly<Record<string, unknown>>])[];
  readonly isReported?: boolean;
  /** A second trail that reports the same artifact later. */
  readonly second?: boolean;
  /** Of the gates that are asked. */
  readonly outcomes: Readonly<Partial<Record<Gate, Outcome>>>;
}

const gates = ['get-artifact', 'assert-artifact', 'environment', 'assert-trail', 'attestations', 'snapshots'] as const;
type Gate = (typeof gates)[number];

const coverage = { metric: 'new_coverage', operator: 'LT', errorThreshold: '80', value: '61.2', status: 'ERROR' };
const sonar = (status: string, conditions: readonly unknown[] = []) =>
  [
    'sonar',
    { attestation_name: 'web.sonar', sonar_results: { project: { key: 'web' }, qualityGate: { status, conditions } } },
  ] as const;
const scan = (change = {}) => ['generic', { attestation_name: 'scan', ...change }] as const;
const all = (outcome: Outcome): Record<Gate, Outcome> => ({
  ...{ 'get-artifact': outcome, 'assert-artifact': outcome, environment: outcome },
  ...{ 'assert-trail': outcome, attestations: outcome, snapshots: outcome },
});

const situations: Readonly<Record<string, Situation>> = {
  compliant: { fingerprint: 'a1', evidence: [scan(), sonar('OK')], outcomes: all('compliant') },
  failed: {
    fingerprint: 'a2',
    evidence: [scan({ is_compliant: false, description: '2 high vulnerabilities' }), sonar('ERROR', [coverage])],
    outcomes: all('non-compliant'),
  },
  missing: {
    fingerprint: 'a3',
    evidence: [scan()],
    outcomes: {
      ...{ 'get-artifact': 'incomplete', environment: 'incomplete', 'assert-trail': 'incomplete' },
      ...{ attestations: 'compliant', snapshots: 'non-compliant' },
    },
  },
  mistyped: {
    fingerprint: 'a4',
    evidence: [scan(), ['generic', { attestation_name: 'web.sonar' }]],
    outcomes: { 'assert-artifact': 'incomplete', 'assert-trail': 'incomplete' },
  },
  pending: {
    fingerprint: 'a5',
    evidence: [scan(), sonar('NONE')],
    outcomes: { 'get-artifact': 'incomplete', 'assert-trail': 'incomplete', attestations: 'incomplete' },
  },
  exempted: {
    fingerprint: 'a6',
    evidence: [scan(), sonar('ERROR', [coverage])],
    outcomes: { 'get-artifact': 'non-compliant', environment: 'compliant', snapshots: 'compliant' },
  },
  unreported: {
    fingerprint: 'a7',
    evidence: [],
    isReported: false,
    outcomes: { ...all('incomplete'), snapshots: 'non-compliant' },
  },
  twice: {
    fingerprint: 'a8',
    evidence: [scan(), sonar('ERROR', [coverage])],
    second: true,
    // The latest report counts, and its trail has no evidence of its own yet.
    outcomes: { 'get-artifact': 'incomplete', 'assert-trail': 'non-compliant', snapshots: 'non-compliant' },
  },
};

let job: ActionJob;
let request: PullRequestJob;

async function expectCreated(sent: Parameters<typeof call>[1]): Promise<void> {
  const { status, text } = await call(job.service, sent);
  expect([text, [200, 201]]).toEqual([text, expect.arrayContaining([status])]);
}

beforeAll(async () => {
  job = await openActionJob();
  request = await openPullRequest(job);
  await savePolicy(job.service, 'strict', policy);
  for (const [name, situation] of Object.entries(situations)) await prepare(name, situation);
}, 60_000);

afterAll(async () => {
  await request.close();
  await job.close();
});

async function prepare(
  name: string,
  { fingerprint: digits, evidence, isReported = true, second = false }: Situation,
): Promise<void> {
  const { service } = job;
  expect((await saveFlowTemplate(service, template, name)).status).toBe(201);
  const report = {
    fingerprint: fingerprintOf(digits),
    filename: 'web.tgz',
    template_reference_name: 'web',
    git_commit: shas.head,
  };
  if (isReported) {
    await expectCreated({
      method: 'POST',
      path: `/artifacts/acme/${name}`,
      json: sampleArtifact({ ...report, trail_name: shas.head }),
    });
  }
  for (const [kind, document] of evidence) {
    const path = `/attestations/acme/${name}/trail/${shas.head}/${kind}`;
    await expectCreated({ method: 'POST', path, form: attestationForm({ user_data: {}, ...document }) });
  }
  if (second) {
    const other = { ...report, trail_name: 'other', git_commit: commitOf('2') };
    await expectCreated({ method: 'POST', path: `/artifacts/acme/${name}`, json: sampleArtifact(other) });
  }
  await saveEnvironment(service, name);
  await changePolicies(service, 'POST', name, ['strict']);
  await reportPods(service, name, pod('web', { 'web.tgz': digits }));
}

/** The inputs of a gate, and where the service gives the reasons of its verdict. */
function question(gate: Gate, name: string, digits: string): readonly [inputs: Record<string, string>, path: string] {
  const fingerprint = fingerprintOf(digits);
  switch (gate) {
    case 'get-artifact':
      return [{ operation: gate, flow: name, fingerprint }, `/artifacts/acme/${name}/fingerprint/${fingerprint}`];
    case 'assert-artifact':
      return [
        { operation: gate, flow: name, fingerprint },
        `/asserts/acme/fingerprint/${fingerprint}?flow_name=${name}`,
      ];
    case 'environment':
      return [
        { operation: 'assert-artifact', environment: name, fingerprint },
        `/asserts/acme/fingerprint/${fingerprint}?environment_name=${name}`,
      ];
    case 'assert-trail':
      return [{ operation: gate, flow: name }, `/trails/acme/${name}/${shas.head}`];
    case 'attestations':
      return [{ operation: 'list-attestations', flow: name, 'on-non-compliant': 'fail' }, `/attestations/acme/${name}`];
    case 'snapshots':
      return [
        { operation: 'list-snapshots', environment: name, 'on-non-compliant': 'fail' },
        `/snapshots/acme/${name}`,
      ];
  }
}

/** The reasons in an answer: of one thing, or of the entries of a list. */
function reasonsIn(body: unknown): readonly Reason[] {
  if (Array.isArray(body)) return body.flatMap(reasonsIn);
  const { reasons = [], data } = body as { reasons?: readonly Reason[]; data?: unknown };
  return [...reasons, ...(data === undefined ? [] : reasonsIn(data))];
}

const rows = Object.entries(situations).flatMap(([name, { fingerprint, outcomes }]) =>
  gates.flatMap((gate) => {
    const outcome = outcomes[gate];
    return outcome === undefined ? [] : [{ gate, name, digits: fingerprint, outcome }];
  }),
);
const words = { compliant: 'Compliant', incomplete: 'Incomplete', 'non-compliant': 'Non-compliant' };

describe('the gate', () => {
  it.each(rows)('$gate in the situation "$name": $outcome', async ({ gate, name, digits, outcome }) => {
    const [inputs, path] = question(gate, name, digits);
    const commitStatus = `compliance/${gate}/${name}`;
    const result = await request.step({ ...inputs, 'pull-request-comment': 'true', 'commit-status': commitStatus });
    const passes = outcome === 'compliant';
    expect([result.errorLog, result.exitCode, result.outputs['outcome'], result.outputs['compliant']]).toEqual([
      '',
      passes ? 0 : 1,
      outcome,
      String(passes),
    ]);

    const { status, body } = await call(job.service, { path });
    const reasons = status === 200 ? reasonsIn(body) : [];
    const annotations = commandsNamed(result.log, 'error').map(({ message }) => message);
    const set = request.repository.statuses.findLast(({ context }) => context === commitStatus);
    if (passes) {
      expect([annotations, set?.state, reasons]).toEqual([[], 'success', []]);
      return;
    }
    expect([annotations.length, set?.state]).toEqual([1, 'failure']);
    expect(set?.description).toMatch(new RegExp(`^${words[outcome]}: `, 'u'));
    expect(result.summary).toMatch(new RegExp(`^<h2>\\S+ ${words[outcome]}: .*</h2>\n<ul><li>`, 'u'));
    // Nothing is on record that the service could give reasons about, except for what runs.
    if (name === 'unreported') expectEverywhere(/not reported|no attestation|nothing/iu, annotations[0], result);
    else expect(reasons).not.toEqual([]);
    expectReasons(reasons, result, request.repository.comments.at(-1)?.body ?? '');
    const [first] = reasons;
    if (first !== undefined) await expectFirst(first, result, [annotations[0], set?.description]);
  });

  it('is an error that names create-flow if there is no such flow, whatever on-non-compliant says', async () => {
    for (const operation of ['get-artifact', 'assert-artifact', 'assert-trail', 'list-attestations']) {
      const about = operation.endsWith('artifact') ? { fingerprint: fingerprintOf('a1') } : {};
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
    const result = await request.step({ operation: 'assert-trail', flow: 'missing', 'on-non-compliant': 'warn' });
    expect(result).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'incomplete', compliant: 'false', state: 'INCOMPLETE' },
      response: { name: shas.head, flow: 'missing', compliance_state: 'INCOMPLETE' },
    });
    expect(result.outputs['html-url']).toBe(`${textAt(result.response, 'html_url')}#evidence-web.sonar`);
    const page = await fetch(result.outputs['html-url'] ?? '', {
      headers: { authorization: `Bearer ${job.service.apiKey}` },
    });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Incomplete');
    expect(valueAt(JSON.parse(result.outputs['response'] ?? ''), 'name')).toBe(shas.head);
  });
});

/** Expects the first reason in the texts that have room for one, and on the page. */
async function expectFirst(reason: Reason, result: ActionRun, texts: readonly (string | undefined)[]): Promise<void> {
  // A list of a flow's attestations also names the trail.
  const told = new RegExp(`${reason.about}(?: in trail \\w+)?: ${reason.value}`, 'u');
  for (const text of texts) expect(text).toMatch(told);
  const page = await pageOf(reason, result.outputs['html-url']);
  for (const text of wordsOf(reason)) expect(page).toContain(text);
}

/** Expects these words in each place where a reader looks. */
function expectEverywhere(told: RegExp, annotation: string | undefined, { summary, log }: ActionRun): void {
  const comment = request.repository.comments.at(-1)?.body;
  const description = request.repository.statuses.at(-1)?.description;
  for (const place of [annotation, summary, log, comment, description]) expect(place).toMatch(told);
}

function wordsOf({ value, limit = '', description = '' }: Reason): readonly string[] {
  return [value, limit, description];
}

function expectReasons(reasons: readonly Reason[], { summary, log }: ActionRun, comment: string): void {
  for (const reason of reasons) {
    for (const text of [reason.about, ...wordsOf(reason)]) {
      for (const place of [summary, comment]) expect(place).toContain(text);
    }
    expect(log).toContain(describeFault(reason));
  }
}

/** The page that the step links, else that of the first reason. */
async function pageOf({ html_url: evidence }: Reason, linked: string | undefined): Promise<string> {
  const address = linked === undefined || linked === '' ? evidence : linked;
  if (address === undefined) return '';
  const answer = await fetch(address, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
  expect(answer.status).toBe(200);
  return answer.text();
}
