import { spawnSync } from 'node:child_process';

/**
 * Runs once, before all tests.
 *
 * @throws Error if git is missing, instead of many failures that do not say why
 */
export default function requireGit(): void {
  if (spawnSync('git', ['--version'], { stdio: 'ignore' }).status === 0) return;
  throw new Error('The tests need git, but `git --version` failed. Install git: https://git-scm.com/downloads');
}
