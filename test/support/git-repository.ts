import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';

/** Variables that make git ignore the configuration of the machine and its user. */
export const isolatedGit: EnvironmentVariables = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_AUTHOR_NAME: 'Ann Dev',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05+02:00',
  GIT_COMMITTER_NAME: 'Merge Bot',
  GIT_COMMITTER_EMAIL: 'bot@example.com',
  GIT_COMMITTER_DATE: '2026-02-03T04:05:06Z',
};

/** The author date of the commits of tests, in Unix seconds. */
export const authorSeconds = Date.parse('2026-01-02T03:04:05+02:00') / 1000;

/** The committer date of the commits of tests, in Unix seconds. */
export const committerSeconds = Date.parse('2026-02-03T04:05:06Z') / 1000;

/** A folder for the repositories of a test. */
export interface GitFolder {
  readonly path: string;
  /** Runs git in a subfolder and returns its output without the last line break. */
  git(folder: string, ...commandLine: readonly string[]): string;
  /** Creates an empty repository with the branch `main`. */
  repository(name: string): string;
  /** Creates an empty commit with exactly this message, and returns the SHA. */
  commit(folder: string, message: string | Uint8Array, ...options: readonly string[]): string;
  remove(): void;
}

/** Creates a temporary folder for repositories. The test must remove it. */
export function gitFolder(): GitFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'commit-')));
  const git: GitFolder['git'] = (folder, ...commandLine) =>
    execFileSync('git', commandLine, {
      cwd: folder,
      env: { ...isolatedGit },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  return {
    path,
    git,
    repository(name) {
      const folder = join(path, name);
      mkdirSync(folder);
      git(folder, 'init', '--quiet', '--initial-branch=main');
      return folder;
    },
    commit(folder, message, ...options) {
      const file = join(path, 'message');
      writeFileSync(file, message);
      git(
        folder,
        ...options,
        'commit',
        '--quiet',
        '--allow-empty',
        '--allow-empty-message',
        '--cleanup=verbatim',
        `--file=${file}`,
      );
      return git(folder, 'rev-parse', 'HEAD');
    },
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
