import { spawnSync } from 'node:child_process';

/**
 * Removes the variables that bind git to a repository: a git hook that runs the tests has them.
 *
 * @throws Error if git is missing, instead of many failures that do not say why
 */
export function prepareGit(): void {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error('The tests need git, but it cannot be run. Install git: https://git-scm.com/downloads');
  for (const name of stdout.trim().split(/\s+/u)) Reflect.deleteProperty(process.env, name);
}
