import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jobCommit, jobForAllTests } from '../support/action-job.ts';
import { shas } from '../support/events.ts';
import { apiCommit, type GitHubReply } from '../support/fake-github.ts';
import { pullRequestAnswers } from '../support/pull-request-answers.ts';
import { openPullRequest, type PullRequestJob } from '../support/pull-request-job.ts';
import { saveCustomType } from '../support/service-samples.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();
beforeAll(async () => {
  await job.workspace.write('red.xml', '<testsuite name="api"><testcase/><testcase><failure/></testcase></testsuite>');
  const results = [{ ruleId: 'R1', level: 'error', message: { text: 'x' } }];
  const scan = { version: '2.1.0', runs: [{ tool: { driver: { name: 'Scanner' } }, results }] };
  await job.workspace.write('red.sarif', JSON.stringify(scan));
  const packages = [{ name: 'left', versionInfo: '1.0.0', licenseDeclared: 'GPL-3.0-only' }];
  const bill = { spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', packages };
  await job.workspace.write('red.spdx.json', JSON.stringify(bill));
  await job.workspace.write('red-data.json', '{"lines":61}');
  await saveCustomType(job.service, { name: 'coverage', rules: ['.complete'] });
  await job.workspace.write('none.xml', '<testsuite name="api"/>');
  const red = webhookPayloadWith('ERROR', jobCommit);
  const conditions = [
    { metric: 'new_coverage', operator: 'LESS_THAN', errorThreshold: '80', value: '61.2', status: 'ERROR' },
    { metric: 'new_bugs', operator: 'GREATER_THAN', errorThreshold: '0', value: '0', status: 'OK' },
  ];
  await job.workspace.write('red.json', JSON.stringify({ ...red, qualityGate: { status: 'ERROR', conditions } }));
});

/** A red step, and the reason in two parts, the first of which is a link. */
interface RedStep {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outcome?: 'incomplete';
  readonly about: string;
  readonly why: string;
}

const redSteps: readonly RedStep[] = [
  {
    inputs: {
      operation: 'attest-generic',
      compliant: 'false',
      'attestation-name': 'scan',
      description: '2 high vulnerabilities',
    },
    about: 'scan',
    why: 'reported as not compliant: 2 high vulnerabilities',
  },
  {
    inputs: { operation: 'attest-junit', 'junit-path': 'red.xml' },
    about: 'junit',
    why: '1 of 2 tests failed (api); none may fail',
  },
  {
    inputs: { operation: 'attest-junit', 'junit-path': 'none.xml' },
    outcome: 'incomplete',
    about: 'junit',
    why: 'there are no tests; at least one must pass',
  },
  {
    inputs: { operation: 'attest-scan', 'sarif-path': 'red.sarif' },
    about: 'scan',
    why: '1 high finding; none of severity high or worse is allowed',
  },
  {
    inputs: { operation: 'attest-sbom', 'sbom-path': 'red.spdx.json', 'allowed-licenses': 'MIT' },
    about: 'sbom',
    why: 'left@1.0.0 has GPL-3.0-only; the licence is not allowed',
  },
  {
    inputs: {
      ...{ operation: 'attest-custom', 'attestation-name': 'coverage', 'attestation-type': 'coverage' },
      'data-path': 'red-data.json',
    },
    about: 'coverage',
    why: 'the rule .complete gives null; true is required (version 1 of custom:coverage)',
  },
  {
    inputs: { operation: 'attest-sonar', 'sonar-report-path': 'red.json', 'unverified-revision': 'warn' },
    about: 'sonar',
    why: 'new_coverage is 61.2; at least 80 is required (quality gate)',
  },
  {
    inputs: { operation: 'attest-issue', 'issue-pattern': 'NONE-1' },
    about: 'issue',
    why: 'the change names no issue; at least one is required',
  },
  {
    inputs: { operation: 'attest-pull-request', 'minimum-approvals': '2' },
    about: 'pull-request',
    why: '1 approval; at least 2 are required',
  },
];

describe('a red step that records evidence', () => {
  let request: PullRequestJob;
  beforeEach(async () => {
    const replies: Readonly<Record<string, GitHubReply>> = {
      ...pullRequestAnswers(shas.head),
      [`/repos/acme/widgets/commits/${shas.head}?per_page=1`]: { status: 200, body: apiCommit(shas.head) },
    };
    request = await openPullRequest(job, { fault: ({ method, url }) => (method === 'GET' ? replies[url] : undefined) });
  });
  afterEach(() => request.close());

  it.each(redSteps)('gives the reason wherever it is shown: $about: $why', async ({ inputs, about, why, ...step }) => {
    const { outcome = 'non-compliant' } = step;
    const flow = await job.flow(about);
    const publication = { 'pull-request-comment': 'true', 'commit-status': 'compliance/web' };
    const result = await request.step({ flow, ...inputs, ...publication });
    expect(result).toMatchObject({ exitCode: 1, errorLog: '', outputs: { outcome, compliant: 'false' } });

    const url = result.outputs['attestation-url'] ?? '';
    const reason = `${about}: ${why}`;
    expect(commandsNamed(result.log, 'error')).toEqual([
      expect.objectContaining({ message: expect.stringContaining(`${about} is ${outcome.toUpperCase()}: ${why}. `) }),
    ]);
    expect(commandsNamed(result.log, 'error')[0]?.message).toContain(` Recorded as ${about} in flow ${flow}`);
    expect(shownLines(result.log).map((line) => line.trim().replace(/^\S+ /u, ''))).toContain(reason);
    const shown = `<a href="${url}">${about}</a>: ${why}</li>`;
    expect(result.summary).toContain(shown);
    expect(request.repository.comments[0]?.body).toContain(shown);
    expect(request.repository.statuses.at(-1)?.description).toContain(reason);

    const authorization = `Bearer ${job.service.apiKey}`;
    expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
    const listed = await job.ask(`/attestations/acme/${flow}/trail/${shas.head}/${about}`);
    expect(await listed.json()).toMatchObject([{ html_url: url, is_compliant: false }]);
  });
});

describe('links and remarks', () => {
  const digest = 'ab'.repeat(32);
  const annotations = 'team=<shop>\nby=hand';
  const links = {
    'external-urls': 'docs=https://docs.example.com/?a=b\nticket=https://tickets.example.com/7',
    'external-fingerprints': `docs=sha256:${digest}`,
  };
  const expected = {
    external_urls: {
      docs: { href: 'https://docs.example.com/?a=b', fingerprint: digest },
      ticket: { href: 'https://tickets.example.com/7' },
    },
    annotations: { team: '<shop>', by: 'hand' },
  };
  const scan = { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true' };

  it('are recorded with trails, artifacts and attestations, and shown on their pages', async () => {
    const flow = await job.flow('links');
    const artifact = { operation: 'attest-artifact', fingerprint: digest, filename: 'web.tgz', annotations, ...links };
    const results = [];
    for (const inputs of [{ operation: 'begin-trail', ...links }, artifact, { ...scan, annotations, ...links }]) {
      results.push(await job.step({ flow, trail: 'first', ...inputs }));
    }
    expect(results).toMatchObject(Array(3).fill({ exitCode: 0, errorLog: '' }));
    const url = results[2]?.outputs['attestation-url'] ?? '';
    const records = [
      [`/trails/acme/${flow}/first`, { external_urls: expected.external_urls }],
      [`/artifacts/acme/${flow}/fingerprint/${digest}`, expected],
      [`/attestations/acme?attestation_id=${url.split('/').at(-1) ?? ''}`, { data: [expected] }],
    ] as const;
    for (const [path, record] of records) expect(await (await job.ask(path)).json()).toMatchObject(record);
    const page = await fetch(url, { headers: { authorization: `Bearer ${job.service.apiKey}` } });
    expect(await page.text()).toContain('team: &lt;shop&gt;');
  });
});
