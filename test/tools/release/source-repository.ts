import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type GitFolder, gitFolder } from '../../support/git-repository.ts';
import { root } from '../../support/repository.ts';

/** What the README links to, and what is released. */
const copied = ['action.yml', 'dist', 'docs', 'examples', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md'];

/** A git repository with this project's files, and versions to release. */
export interface SourceRepository {
  readonly path: string;
  readonly folder: GitFolder;
  git(...commandLine: readonly string[]): string;
  /** Commits files on the current branch, and returns the SHA. */
  commit(files: Readonly<Record<string, string | Uint8Array>>): string;
  /** Commits a version: in package.json, and with a section in CHANGELOG.md. Returns the SHA. */
  commitVersion(version: string, changes?: string): string;
  remove(): void;
}

/** Creates the repository, with version 1.2.3 on the branch `main`. The test must remove it. */
export function sourceRepository(): SourceRepository {
  const folder = gitFolder();
  const path = folder.repository('source');
  for (const name of copied) cpSync(join(root, name), join(path, name), { recursive: true });
  const repository = openRepository(folder, path);
  repository.commitVersion('1.2.3', '- See [the gate](docs/how-to/forks.md#forks), which\n  waits.');
  return repository;
}

/** Copies the repository, which is much faster than creating another one. The test must remove it. */
export function copyRepository(original: SourceRepository): SourceRepository {
  const folder = gitFolder();
  const path = join(folder.path, 'source');
  cpSync(original.path, path, { recursive: true });
  return openRepository(folder, path);
}

function openRepository(folder: GitFolder, path: string): SourceRepository {
  const commit: SourceRepository['commit'] = (files) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    }
    folder.git(path, 'add', '--all', '--force');
    return folder.commit(path, 'Change something');
  };
  const commitVersion: SourceRepository['commitVersion'] = (version, changes = '- A change.') =>
    commit({
      'package.json': JSON.stringify({ name: 'compliance-action', version }),
      'CHANGELOG.md': `# Changelog\n\n## [Unreleased]\n\n## [${version}] - 2026-02-03\n\n${changes}\n`,
    });
  return {
    path,
    folder,
    git: (...commandLine) => folder.git(path, ...commandLine),
    commit,
    commitVersion,
    remove() {
      folder.remove();
    },
  };
}
