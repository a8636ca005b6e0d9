import { beforeAll, expect, it } from '@jest/globals';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobCommit, jobForAllTests } from '../support/action-job.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { startGitHub } from '../support/fake-github.ts';
import { githubRepository } from '../support/fake-github-repository.ts';
import { pullRequestAnswers } from '../support/pull-request-answers.ts';
import { githubToken } from '../support/pull-request-job.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests();
let flow: string;
const keep = closeAfterEach();

beforeAll(async () => {
  flow = await job.flow('sonar');
});

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

it('a dry run passes with a warning and a pending status, if the step asks for it', async () => {
  const { result, annotations, statuses } = await dryRun({ operation: 'attest-pull-request' }, inStep);
  expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'skipped', compliant: '' } });
  expect(annotations).toEqual([['warning', 'Nothing was judged: Dry run of attest-pull-request', nothingRecorded]]);
  expect(statuses).toMatchObject([{ sha: jobCommit, state: 'pending', context: 'compliance/web' }]);
});

it('a dry run fails with the same words and a pending status, if a variable asks for it', async () => {
  const inputs = { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true' };
  const { result, annotations, statuses } = await dryRun(inputs, inVariable);
  expect(result).toMatchObject({ exitCode: 1, errorLog: '', outputs: { outcome: 'skipped', compliant: '' } });
  expect(annotations).toEqual([['error', 'Nothing was judged: Dry run of attest-generic', nothingRecorded]]);
  expect(annotations[0]?.[2]).toContain('COMPLIANCE_DRY_RUN');
  expect(statuses).toMatchObject([{ sha: jobCommit, state: 'pending' }]);
});

it('a dry run of a gate fails, and sets a pending status', async () => {
  const inputs = { operation: 'get-artifact', fingerprint: 'a'.repeat(64), 'pull-request-comment': 'true' };
  const { result, statuses } = await dryRun(inputs, inStep);
  expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'skipped', compliant: '' } });
  expect(result.log).toContain('`pull-request-comment`: not written, because this is a dry run');
  expect(statuses).toMatchObject([{ state: 'pending' }]);
});
