import { describe, expect, it } from '@jest/globals';
import { isMapping } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { jobForAllTests } from '../support/action-job.ts';
import { anArtifact, fingerprintOf } from '../support/artifacts.ts';
import { failedStep } from '../support/failed-step.ts';
import { answers } from '../support/faults.ts';
import { type Fault, startFaultyServer } from '../support/faulty-server.ts';
import { openPullRequest } from '../support/pull-request-job.ts';
import { formsOf } from '../support/secret.ts';
import { commandsIn, commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests();

/** Of characters that a header, an address, JSON and HTML all write in their own ways. */
const keys = {
  'api-token': 'k3y+with/odd=chars&<more>#1and-@all',
  'sonar-token': "squ_'apostrophe'%and%percent",
  'github-token': 'ghs_0123456789abcdef',
};
const everyForm = Object.values(keys).flatMap(formsOf);
const html_url = `https://x.example.com/?k=${everyForm.join('&')}`;

const inputs = {
  ...keys,
  operation: 'get-artifact',
  flow: 'web',
  fingerprint: fingerprintOf('a'),
  retries: '0',
};

/** Everything that a step writes if the service responds like this, including what it sends to GitHub. */
async function writtenAgainst(fault: Fault): Promise<string> {
  const request = await openPullRequest(job);
  const server = await startFaultyServer(fault);
  try {
    const shown = { 'pull-request-comment': 'true', 'commit-status': 'compliance/web' };
    const result = await request.step({ ...inputs, ...shown, 'base-url': server.url.href });
    expect(request.repository.comments).toHaveLength(1);
    expect(request.repository.statuses).toHaveLength(1);
    const told = request.github.requests.flatMap(({ url, body }) => [url, body, ...textsIn(body)]);
    return [written(result), ...told].join('\n').replaceAll('&#8203;', '');
  } finally {
    await server.close();
    await request.close();
  }
}

/** The texts of a JSON object as they are, not as JSON writes them. */
function textsIn(body: string): readonly string[] {
  const document: unknown = body === '' ? {} : JSON.parse(body);
  return isMapping(document) ? Object.values(document).filter((value) => typeof value === 'string') : [];
}

/** Every place that a step writes to, without the commands that tell the runner what to mask. */
function written(result: ActionRun): string {
  const log = result.log.split('\n').filter((line) => !line.startsWith('::add-mask::'));
  return [
    ...log,
    result.errorLog,
    result.summary,
    JSON.stringify(result.response),
    ...Object.values(result.outputs),
  ].join('\n');
}

describe('the secrets of a step', () => {
  it('are masked in every form before anything else is said', async () => {
    const { log } = await job.step({ ...inputs, flow: 'pr/12' });
    const commands = commandsIn(log);
    const masks = commandsNamed(log, 'add-mask');
    expect(commands.slice(0, masks.length)).toEqual(masks);
    expect(masks.map(({ message }) => message)).toEqual(expect.arrayContaining([...everyForm]));
  });

  it.each([
    [
      'an artifact',
      answers(200, anArtifact({ filename: everyForm.join(' '), html_url, state_info: everyForm.join('\n') })),
    ],
    ['an error', answers(400, { message: everyForm.join(' '), errors: { field: everyForm.join(' ') } })],
  ])('are redacted if the service repeats them in %s', async (_where, fault) => {
    const text = await writtenAgainst(fault);
    for (const form of everyForm) expect(text).not.toContain(form);
  });

  it('are refused, and not masked, if they are too short', async () => {
    const result = await job.step({ ...inputs, 'api-token': 'e' });
    expect(failedStep(result).message).toContain('`api-token` must have at least 16 characters');
    expect(commandsNamed(result.log, 'add-mask').map(({ message }) => message)).not.toContain('e');
  });

  it('go to the service as they are', async () => {
    const server = await startFaultyServer(answers(200, anArtifact()));
    try {
      const at = { ...inputs, 'base-url': server.url.href };
      await Promise.all([job.step(at), job.step({ ...at, 'auth-method': 'basic' })]);
      const basic = Buffer.from(`${keys['api-token']}:`).toString('base64');
      expect(server.requests.map(({ headers }) => headers.authorization).sort()).toEqual([
        ...[`Basic ${basic}`, `Basic ${basic}`],
        ...[`Bearer ${keys['api-token']}`, `Bearer ${keys['api-token']}`],
      ]);
    } finally {
      await server.close();
    }
  });
});
