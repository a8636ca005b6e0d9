import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type GitFolder, gitFolder } from '../support/git-repository.ts';

const script = join(import.meta.dirname, '..', '..', 'tools', 'run-step.ts');
let repositories: GitFolder;

beforeAll(() => {
  repositories = gitFolder();
});

afterAll(() => {
  repositories.remove();
});

const connection = ['--base-url', 'http://127.0.0.1:9/api/v2', '--api-token', 'the-api-key-of-acme', '--org', 'acme'];
const step = ['begin-trail', '--flow', 'web', ...connection];

it.each([
  ['that is checked out', []],
  ['with the commit, if none is checked out', ['checkout', '--quiet', '--detach']],
])('records the branch %s', (_which, checkout) => {
  const folder = repositories.repository(`repository-${checkout.length}`);
  repositories.commit(folder, 'feat: begin');
  if (checkout.length > 0) repositories.git(folder, ...checkout);
  expect(run(folder)).toContain('"branch":"main"');
});

it('keeps what is set of the job and of the way to servers, but not the files of an outer step', () => {
  const folder = repositories.repository('kept');
  repositories.commit(folder, 'feat: begin');
  const output = join(folder, 'output');
  expect(run(folder, { GITHUB_RUN_ID: '4711', GITHUB_OUTPUT: output })).toContain('"run_id":"4711"');
  expect(existsSync(output)).toBe(false);
  expect(() => run(folder, { HTTPS_PROXY: 'ftp://proxy.example.com' })).toThrow();
});

function run(folder: string, variables: Readonly<Record<string, string>> = {}): string {
  const env = { PATH: process.env['PATH'], INIT_CWD: folder, ...variables };
  const options = { env, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync(process.execPath, [script, ...step, '--dry-run', 'true'], options);
}
