import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobCommit, jobForAllTests } from '../support/action-job.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { githubRepository } from '../support/fake-github-repository.ts';
import { startGitHub } from '../support/fake-github.ts';
import { pullRequestAnswers } from '../support/pull-request-answers.ts';
import { githubToken } from '../support/pull-request-job.ts';
import { webhookPayloadWith } from '../support/sonar-analysis.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests();
let flow: string;
const keep = closeAfterEach();

beforeAll(async () => {
  flow = await job.flow('sonar');
  await job.workspace.write('sonar.json', JSON.stringify(webhookPayloadWith('OK', jobCommit)));
  await job.workspace.write('junit.xml', '<testsuite name="unit"><testcase name="works"/></testsuite>');
});

const attesting: readonly Readonly<Record<string, string>>[] = [
  { operation: 'attest-sonar', 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn' },
  { operation: 'attest-junit', 'junit-path': 'junit.xml' },
  { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true' },
  { operation: 'attest-pull-request' },
];
const attest = { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true' };
const inStep = { inputs: { 'dry-run': 'true' }, variables: {} };
const inVariable = { inputs: {}, variables: { COMPLIANCE_DRY_RUN: 'true' } };

/** The end of a step, and what it wrote to GitHub. */
interface Ended {
  readonly result: ActionRun;
  readonly annotations: readonly (readonly [level: string, title: string | undefined, message: string])[];
  readonly statuses: readonly unknown[];
}

async function dryRun(
  inputs: Readonly<Record<string, string>>,
  { inputs: more, variables }: typeof inStep | typeof inVariable,
): Promise<Ended> {
  const repository = githubRepository();
  const github = keep(await startGitHub(pullRequestAnswers(jobCommit), { repository }));
  const result = await job.step(
    { flow, ...inputs, ...more, 'github-token': githubToken, 'commit-status': 'compliance/web' },
    { variables: { ...variables, GITHUB_API_URL: github.url } },
  );
  const annotations = (['error', 'warning'] as const).flatMap((level) =>
    commandsNamed(result.log, level).map(({ properties, message }) => [level, properties['title'], message] as const),
  );
  return { result, annotations, statuses: repository.statuses };
}

const nothingRecorded = expect.stringContaining('nothing was recorded or judged');

describe('a dry run of an operation that attests', () => {
  it.each(attesting)(
    'passes with a warning and a pending status, if the step asks for it: $operation',
    async (inputs) => {
      const { result, annotations, statuses } = await dryRun(inputs, inStep);
      expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'skipped', compliant: '' } });
      const title = `Nothing was judged: Dry run of ${inputs['operation'] ?? ''}`;
      // Before it, Sonar's evidence from a file warns that nothing confirms the commit.
      expect(annotations.at(-1)).toEqual(['warning', title, nothingRecorded]);
      expect(annotations.map(([level]) => level)).not.toContain('error');
      expect(statuses).toMatchObject([{ sha: jobCommit, state: 'pending', context: 'compliance/web' }]);
    },
  );

  it.each([
    ['the step asks for it and sets `on-non-compliant: fail`', inStep, { 'on-non-compliant': 'fail' }],
    ['a variable asks for it', inVariable, {}],
    ['a variable asks for it and the step sets `on-non-compliant: fail`', inVariable, { 'on-non-compliant': 'fail' }],
  ])('fails with the same words and a pending status, if %s', async (_what, origin, inputs) => {
    const { result, annotations, statuses } = await dryRun({ ...attest, ...inputs }, origin);
    expect(result).toMatchObject({ exitCode: 1, errorLog: '', outputs: { outcome: 'skipped', compliant: '' } });
    expect(annotations).toEqual([['error', 'Nothing was judged: Dry run of attest-generic', nothingRecorded]]);
    expect(annotations[0]?.[2].includes('COMPLIANCE_DRY_RUN')).toBe(origin === inVariable);
    expect(statuses).toMatchObject([{ sha: jobCommit, state: 'pending' }]);
  });

  it.each(['warn', 'ignore'])(
    'passes with a warning, if the step sets `on-non-compliant: %s`',
    async (onNonCompliant) => {
      for (const origin of [inStep, inVariable]) {
        const { result, annotations } = await dryRun({ ...attest, 'on-non-compliant': onNonCompliant }, origin);
        expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'skipped' } });
        expect(annotations).toMatchObject([['warning', expect.any(String), nothingRecorded]]);
      }
    },
  );

  it.each(['begin-trail', 'attest-artifact'])('warns, if it has no verdict: %s', async (operation) => {
    const artifact = operation === 'begin-trail' ? {} : { fingerprint: 'a'.repeat(64), filename: 'web.tgz' };
    for (const origin of [inStep, inVariable]) {
      const { result, annotations } = await dryRun({ operation, ...artifact }, origin);
      expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'skipped' } });
      expect(annotations).toMatchObject([['warning', expect.any(String), nothingRecorded]]);
    }
  });
});

describe('a dry run of a gate that records nothing', () => {
  it.each([
    ['the step', inStep],
    ['a variable', inVariable],
  ])('fails whether %s asks for it', async (_what, origin) => {
    const { result, statuses } = await dryRun({ operation: 'get-artifact', fingerprint: 'a'.repeat(64) }, origin);
    expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'skipped', compliant: '' } });
    expect(statuses).toMatchObject([{ state: 'pending' }]);
  });
});
