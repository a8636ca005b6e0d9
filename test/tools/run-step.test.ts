import { execFileSync } from 'node:child_process';
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

it.each([
  ['that is checked out', []],
  ['with the commit, if none is checked out', ['checkout', '--quiet', '--detach']],
])('records the branch %s', (_which, checkout) => {
  const folder = repositories.repository(`repository-${checkout.length}`);
  repositories.commit(folder, 'feat: begin');
  if (checkout.length > 0) repositories.git(folder, ...checkout);
  const connection = ['--base-url', 'http://127.0.0.1:9/api/v2', '--api-token', 'the-api-key-of-acme', '--org', 'acme'];
  const step = ['begin-trail', '--flow', 'web', '--dry-run', 'true', ...connection];
  const env = { PATH: process.env['PATH'], INIT_CWD: folder };
  expect(execFileSync(process.execPath, [script, ...step], { env, encoding: 'utf8' })).toContain('"branch":"main"');
});
