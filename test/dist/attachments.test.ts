import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, openActionJob } from '../support/action-job.ts';
import { failedStep } from '../support/failed-step.ts';
import { itWithPosixFiles } from '../support/platform.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts';
import { temporaryWorkspace } from '../support/temporary-workspace.ts';

let job: ActionJob;
let proxy: RecordingProxy;
let flow: string;
let steps = 0;

beforeAll(async () => {
  job = await openActionJob();
  proxy = await startRecordingProxy(job.service.baseUrl);
  flow = await job.flow();
  const { workspace } = job;
  await workspace.write(
    '.git/config',
    `AUTHORIZATION: basic ${Buffer.from('x-access-token:ghs_of_the_checkout').toString('base64')}`,
  );
  await workspace.write('.env', 'PASSWORD=hunter2');
  await workspace.write('.npmrc', `//registry.example.com/:_authToken=${job.service.apiKey}`);
  await workspace.write('reports/a.txt', 'one');
  await workspace.write('reports/.cache', 'two');
  await workspace.write('keys/key.txt', `the key: ${job.service.apiKey}\n`);
  await workspace.write('keys/encoded/a.txt', btoa(`user12:${job.service.apiKey}\n`));
  await workspace.write('keys/other.txt', 'nothing to see\n');
  await workspace.write('keys/log.gz', gzipSync(`a line\n${job.service.apiKey}\n`));
  await workspace.write('template.yml', `version: 1 # ${job.service.apiKey}\ntrail:\n  attestations: []\n`);
  await workspace.write(
    'policy.yml',
    `_schema: https://compliance.example.com/schemas/policy/environment/v1 # ${job.service.apiKey}\n`,
  );
});

afterAll(async () => {
  await proxy.close();
  await job.close();
});

/** Runs a step, by default an attestation, and returns what it sent, too. */
async function run(
  inputs: Readonly<Record<string, string>>,
): Promise<{ readonly step: ActionRun; readonly sent: string }> {
  const label = `step${(steps += 1)}`;
  const step = await job.step({
    ...{ operation: 'attest-generic', flow, 'attestation-name': 'licences', compliant: 'true', retries: '0' },
    ...{ 'base-url': proxy.baseUrlFor(label), ...inputs },
  });
  return {
    step,
    sent: proxy
      .answersTo(label)
      .map((answer) => answer.sent.toString('latin1'))
      .join('\n'),
  };
}

describe('files that are named by a wildcard or a folder', () => {
  it('are attached without those that are hidden or belong to git, which the log names', async () => {
    const { step, sent } = await run({ files: 'reports\n.\n!keys\n!*.yml' });
    expect(step.exitCode).toBe(0);
    expect(step.log).toMatch(/Left out: .*reports\/\.cache is hidden/u);
    expect(step.log).toMatch(/Left out: .*\.git belongs to git/u);
    expect(step.log).not.toMatch(/^\.(?:git|env|npmrc).*bytes$/mu);
    expect(sent).toContain('filename="a.txt"\r\n');
  });

  it('are attached with those that are hidden if that is asked for', async () => {
    const { step } = await run({ files: 'reports', 'include-hidden-files': 'true' });
    expect(step.exitCode).toBe(0);
    expect(step.log).toMatch(/^reports\/\.cache: 3 bytes$/mu);
  });
});

describe('a file that is sent', () => {
  const links: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['user-data', { 'user-data': 'link' }],
    ['template-file', { operation: 'begin-trail', 'template-file': 'link' }],
    ['files', { operation: 'create-policy', policy: 'strict', files: 'link' }],
  ];
  itWithPosixFiles('is no link that leads out of the workspace, whatever input names it', async () => {
    const outside = await temporaryWorkspace();
    const link = join(job.workspace.path, 'link');
    try {
      await symlink(await outside.write('config.json', '{"auths": "of somebody else"}'), link);
      for (const [input, inputs] of links) {
        const { step, sent } = await run(inputs);
        expect(failedStep(step)).toMatchObject({
          exitCode: 1,
          kind: 'user',
          message: expect.stringContaining(`\`${input}\`: link leads out of the workspace, so it is not sent`),
        });
        expect([sent, step.log]).toEqual(['', expect.not.stringContaining('auths')]);
      }
    } finally {
      await rm(link);
      await outside.remove();
    }
  });
});

describe('a secret of the step', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['one of several files', { files: 'keys/*.txt' }, 'the file keys/key.txt'],
    ['the base64 of credentials', { files: 'keys/encoded/a.txt' }, 'the file keys/encoded/a.txt'],
    ['a compressed file among others', { files: 'keys/log.gz\nkeys/other.txt' }, 'the file keys/log.gz'],
    ['a template', { operation: 'begin-trail', 'template-file': 'template.yml' }, 'the file template.yml'],
    ['a policy', { operation: 'create-policy', policy: 'p', files: 'policy.yml' }, 'the file policy.yml'],
    ['user data', { 'user-data': '{"note":"KEY"}' }, 'the evidence'],
  ])('is not sent in %s', async (_where, inputs, named) => {
    const filled: Record<string, string> = {};
    for (const [name, value] of Object.entries(inputs)) filled[name] = value.replace('KEY', job.service.apiKey);
    const { step, sent } = await run(filled);
    const failed = failedStep(step);
    expect(failed).toMatchObject({ exitCode: 1, outcome: 'error', kind: 'user' });
    expect(failed.message).toContain(`${named} contains a secret of this step`);
    expect(sent).toBe('');
  });
});
