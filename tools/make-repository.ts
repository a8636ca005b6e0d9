import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';

/** Creates a git repository with one commit, and returns its SHA. Ignores the git configuration of this machine. */
export async function makeRepository(folder: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'README.md'), 'A repository with one commit.\n');
  const git = (...parameters: readonly string[]): string =>
    execFileSync('git', parameters, { cwd: folder, env: isolatedEnvironment(), encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', 'README.md');
  git('-c', 'user.name=Ann Dev', '-c', 'user.email=ann@example.com', 'commit', '--quiet', '--message', 'feat: begin');
  return git('rev-parse', 'HEAD');
}

/** Without git's own variables: a git hook sets GIT_DIR, which would name the repository of the hook. */
function isolatedEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return { ...Object.fromEntries(others), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
}
