import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { maximumEventBytes, readJob, repositoryUrl, runUrl } from '../../src/evidence/job.ts';
import { UserError } from '../../src/runtime/failure.ts';
import { pushEvent } from '../support/events.ts';
import { jobEnvironment } from '../support/job.ts';
import { itWithPosixFiles } from '../support/platform.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function eventFile(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('readJob', () => {
  it('reads the variables and the event that GitHub sets', async () => {
    const path = await eventFile('push.json', JSON.stringify(pushEvent(), null, 2));
    const job = readJob({
      ...jobEnvironment,
      GITHUB_EVENT_NAME: 'push',
      GITHUB_EVENT_PATH: path,
      GITHUB_REF: 'refs/heads/feature/a',
      GITHUB_REF_NAME: 'feature/a',
      GITHUB_REF_TYPE: 'branch',
      GITHUB_SHA: 'a'.repeat(40),
      GITHUB_WORKSPACE: '/home/runner/work/widgets/widgets',
    });
    expect(job).toEqual({
      serverUrl: 'https://github.com',
      apiUrl: 'https://api.github.com',
      repository: { owner: 'acme', name: 'widgets' },
      repositoryId: '99001',
      eventName: 'push',
      event: pushEvent(),
      ref: 'refs/heads/feature/a',
      refName: 'feature/a',
      refType: 'branch',
      headRef: undefined,
      sha: 'a'.repeat(40),
      workspace: '/home/runner/work/widgets/widgets',
      runId: '4242',
      runAttempt: '2',
      workflow: 'CI',
      job: 'build',
      actor: 'ann',
      triggeringActor: 'bob',
    });
  });

  it('treats an empty variable as unset', () => {
    const job = readJob({ GITHUB_HEAD_REF: '', GITHUB_SHA: '', GITHUB_SERVER_URL: '', GITHUB_REF_NAME: '' });
    expect(job).toMatchObject({ headRef: undefined, sha: undefined, refName: undefined });
    expect(job.serverUrl).toBe('https://github.com');
  });

  it.each([
    ['refs/heads/feature/a', 'feature/a', 'branch'],
    ['refs/tags/v1', 'v1', 'tag'],
    ['refs/pull/12/merge', '12/merge', undefined],
  ])('derives name and type of the ref %s if they are unset', (ref, name, type) => {
    expect(readJob({ GITHUB_REF: ref })).toMatchObject({ refName: name, refType: type });
  });

  it.each([
    ['https://github.com', 'https://api.github.com'],
    ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
    ['https://git.acme.example/', 'https://git.acme.example/api/v3'],
    ['not a url', 'https://api.github.com'],
  ])('derives the API of %s if it is unset', (server, api) => {
    expect(readJob({ GITHUB_SERVER_URL: server })).toMatchObject({ apiUrl: api });
  });

  it('takes the repository and its id from the event if the variables are unset', async () => {
    const path = await eventFile('repository.json', JSON.stringify(pushEvent()));
    expect(readJob({ GITHUB_EVENT_PATH: path })).toMatchObject({
      repository: { owner: 'acme', name: 'widgets' },
      repositoryId: '99001',
    });
  });

  it.each(['acme', '/widgets', 'acme/', 'acme/widgets/more'])('finds no repository in %s', (name) => {
    expect(readJob({ GITHUB_REPOSITORY: name })).toMatchObject({ repository: undefined });
  });

  it('has an empty event if the file is missing', () => {
    const path = join(folder, 'missing.json');
    expect(readJob({ GITHUB_EVENT_PATH: path })).toMatchObject({ event: {} });
    expect(readJob({})).toMatchObject({ event: {} });
  });

  it.each([
    ['broken.json', '{"ref":', /broken\.json is not JSON/],
    ['list.json', '[]', /list\.json does not contain a JSON object/],
  ])('names the event file %s when it is not what GitHub writes', async (name, content, words) => {
    const path = await eventFile(name, content);
    const reading = (): unknown => readJob({ GITHUB_EVENT_PATH: path });
    expect(reading).toThrow(UserError);
    expect(reading).toThrow(words);
  });

  it('names the event path when it cannot be read', () => {
    const path = join(folder, 'x'.repeat(300));
    expect(() => readJob({ GITHUB_EVENT_PATH: path })).toThrow(/cannot be read .*ENAMETOOLONG/);
  });

  itWithPosixFiles('opens no folder, and no pipe, which nothing may ever write to', () => {
    expect(() => readJob({ GITHUB_EVENT_PATH: folder })).toThrow(`The event file ${folder} is not a file.`);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => readJob({ GITHUB_EVENT_PATH: pipe })).toThrow('pipe is not a file');
  });

  it('does not read a file that is too large for an event', async () => {
    const path = await eventFile('large.json', '');
    await truncate(path, maximumEventBytes + 1);
    expect(() => readJob({ GITHUB_EVENT_PATH: path })).toThrow(/large\.json holds 104857601 bytes/);
  });
});

describe('runUrl', () => {
  it('links to the attempt of the run', () => {
    const job = readJob({ ...jobEnvironment, GITHUB_SERVER_URL: 'https://git.acme.example' });
    expect(runUrl(job)).toBe('https://git.acme.example/acme/widgets/actions/runs/4242/attempts/2');
    expect(runUrl({ ...job, runAttempt: undefined })).toBe('https://git.acme.example/acme/widgets/actions/runs/4242');
  });

  it('is undefined outside a GitHub job', () => {
    const job = readJob({});
    expect(runUrl(job)).toBeUndefined();
    expect(repositoryUrl(job)).toBeUndefined();
    expect(runUrl({ ...job, repository: { owner: 'acme', name: 'widgets' } })).toBeUndefined();
  });
});
