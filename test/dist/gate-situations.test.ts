import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeFault, type Reason } from '../../src/contract/reason.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { openActionJob, type ActionJob } from '../support/action-job.ts';
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
  readonly outcomes: Readonly<Record<Gate, Outcome>>;
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
    outcomes: { ...all('incomplete'), attestations: 'compliant', snapshots: 'non-compliant' },
  },
  mistyped: {
    fingerprint: 'a4',
    evidence: [scan(), ['generic', { attestation_name: 'web.sonar' }]],
    outcomes: { ...all('incomplete'), attestations: 'compliant', snapshots: 'non-compliant' },
  },
  pending: {
    fingerprint: 'a5',
    evidence: [scan(), sonar('NONE')],
    outcomes: { ...all('incomplete'), attestations: 'non-compliant', snapshots: 'non-compliant' },
  },
  exempted: {
    fingerprint: 'a6',
    evidence: [scan(), sonar('ERROR', [coverage])],
    outcomes: { ...all('non-compliant'), environment: 'compliant', snapshots: 'compliant' },
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
    outcomes: {
      ...all('incomplete'),
      'assert-trail': 'non-compliant',
      attestations: 'non-compliant',
      snapshots: 'non-compliant',
    },
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
  gates.map((gate) => ({ gate, name, digits: fingerprint, outcome: outcomes[gate] })),
);

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
    expect([annotations.length, set?.state]).toEqual([1, expect.stringMatching(/failure|pending/u)]);
    // Nothing is on record that the service could give reasons about, except for what runs.
    if (name === 'unreported') expect(annotations[0]).toMatch(/not reported|no attestation|nothing/iu);
    else expect(reasons).not.toEqual([]);
    expectReasons(reasons, result, request.repository.comments.at(-1)?.body ?? '');
    const [first] = reasons;
    if (first === undefined) return;
    // A list of a flow's attestations also names the trail.
    const words = new RegExp(`${first.about}(?: in trail \\w+)?: ${first.value}`, 'u');
    expect([annotations[0], set?.description]).toEqual([expect.stringMatching(words), expect.stringMatching(words)]);
    const page = await pageOf(first, result.outputs['html-url']);
    for (const text of wordsOf(first)) expect(page).toContain(text);
  });
});

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
