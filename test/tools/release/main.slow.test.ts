import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { load as parse } from 'js-yaml';
import { textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { runAction } from '../../../tools/run-action.ts';
import { pushEvent } from '../../support/events.ts';
import { isolatedGit } from '../../support/git-repository.ts';
import { jobEnvironment } from '../../support/job.ts';
import { root } from '../../support/repository.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { type SourceRepository, sourceRepository } from './source-repository.ts';

let repository: SourceRepository;
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

beforeEach(() => {
  repository = sourceRepository();
});

afterEach(() => {
  repository.remove();
});

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function release(...options: readonly string[]): Ended {
  const out = join(repository.folder.path, 'out');
  const script = join(root, 'tools', 'release', 'main.ts');
  return spawnSync(process.execPath, [script, '--repository', repository.path, '--out', out, ...options], {
    env: { ...isolatedGit },
    encoding: 'utf8',
  });
}

function written(name: string): string {
  return readFileSync(join(repository.folder.path, 'out', name), 'utf8');
}

describe('npm run release', () => {
  it('needs no package, so that it can run with the right to publish', () => {
    const folder = join(root, 'tools', 'release');
    const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const imported = sources.flatMap((text) => [...text.matchAll(/ from '([^']+)'/gu)].map(([, name]) => name ?? ''));
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((name) => !/^(?:node:|\.\/)/u.test(name))).toEqual([]);
  });

  it('says in one sentence what is wrong', () => {
    expect(release()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'The version is missing. Run: npm run release -- --version 1.2.3\n',
    });
    expect(release('--version', 'v1.2.3')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^"v1\.2\.3" is not a version\..*\n$/u),
    });
  });

  it('creates no tag unless it is told to', () => {
    expect(release('--version', '1.2.3')).toMatchObject({ status: 0, stderr: '' });
    expect(repository.git('tag')).toBe('');
  });

  it('writes what is published, and tags the release commit', () => {
    const { status, stdout } = release('--version', '1.2.3', '--tag');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^v1\.2\.3: commit [\da-f]{40}, from source commit [\da-f]{40}\n\d+ bytes compressed/u);
    const description: unknown = JSON.parse(written('release.json'));
    const releaseCommit = textAt(description, 'releaseCommit') ?? '';
    expect(description).toEqual({
      tag: 'v1.2.3',
      movingTag: 'v1',
      isPreRelease: false,
      isLatest: true,
      sourceCommit: repository.git('rev-parse', 'HEAD'),
      releaseCommit,
      archiveName: 'compliance-action-v1.2.3.tar.gz',
    });
    expect(repository.git('rev-parse', 'v1.2.3', 'v1').split('\n')).toEqual([releaseCommit, releaseCommit]);
    expect(written('references.txt')).toBe('refs/tags/v1.2.3\n+refs/tags/v1\n');
    expect(readdirSync(join(repository.folder.path, 'out')).sort()).toEqual([
      'SHA256SUMS',
      'compliance-action-v1.2.3.tar.gz',
      'notes.md',
      'references.txt',
      'release.json',
    ]);
  });

  it('names what to push: the new tag, which must not exist, and the major version, which moves', () => {
    const remote = join(repository.folder.path, 'remote');
    repository.git('init', '--quiet', '--bare', remote);
    const push = (): string =>
      repository.git('push', '--atomic', remote, ...written('references.txt').trim().split('\n'));
    const remoteTags = (): string => repository.folder.git(remote, 'tag', '--format=%(refname:short) %(objectname)');
    release('--version', '1.2.3', '--tag');
    push();
    const first = repository.git('rev-parse', 'v1.2.3');

    repository.commitVersion('1.2.4');
    release('--version', '1.2.4', '--tag');
    push();
    const second = repository.git('rev-parse', 'v1.2.4');
    expect(remoteTags()).toBe(`v1 ${second}\nv1.2.3 ${first}\nv1.2.4 ${second}`);

    repository.git('tag', '--force', 'v1.2.4', first);
    expect(push).toThrow('already exists');
    expect(remoteTags()).toBe(`v1 ${second}\nv1.2.3 ${first}\nv1.2.4 ${second}`);
  });

  it('makes an action that runs from its tag alone, as on a runner', async () => {
    release('--version', '1.2.3', '--tag');
    const action = join(repository.folder.path, 'runner');
    repository.folder.git(repository.folder.path, 'clone', '--quiet', '--branch=v1', repository.path, action);
    const main = textAt(valueAt(parse(readFileSync(join(action, 'action.yml'), 'utf8')), 'runs'), 'main') ?? '';
    const step = await runAction({
      program: [process.execPath, join(action, main)],
      inputs: { operation: 'create-flow', flow: 'web', description: 'The web shop', template: 'artifact' },
      environment: {
        ...jobEnvironment,
        COMPLIANCE_BASE_URL: service.baseUrl,
        COMPLIANCE_API_TOKEN: service.apiKey,
        COMPLIANCE_ORG: service.org,
      },
      event: pushEvent(),
    });
    expect(step).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', state: 'created' } });
  });
});
