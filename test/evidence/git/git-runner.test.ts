import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { branchesWithCommit, readCommitFromGit, resolveWithGit } from '../../../src/evidence/commit/git-commit.ts';
import type { SourceResult } from '../../../src/evidence/commit/source-result.ts';
import { createGitRunner, withoutCredentials } from '../../../src/evidence/git/git-runner.ts';
import { type GitFolder, gitFolder, isolatedGit } from '../../support/git-repository.ts';
import { itWithPosixFiles } from '../../support/platform.ts';

const git = createGitRunner(isolatedGit);
let folder: GitFolder;

beforeAll(() => {
  folder = gitFolder();
});

afterAll(() => {
  folder.remove();
});

describe('createGitRunner', () => {
  it('calls `whileItRuns` once while git runs', async () => {
    const seen: string[] = [];
    const busy = createGitRunner(isolatedGit, { whileItRuns: () => seen.push('meanwhile') });
    await busy(['--version'], folder.path);
    seen.push('ended');
    expect(seen).toEqual(['meanwhile', 'ended']);
  });

  it('finds a relative path from the working folder of the step', async () => {
    expect(await git(['--version'], 'src/evidence')).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('keeps the credentials of a remote out of the error', async () => {
    const workspace = folder.repository('credentials');
    const result = await git(
      ['rev-parse', '--verify', 'https://x-access-token:ghs_secret@127.0.0.1:1/acme'],
      workspace,
    );
    expect(result?.exitCode).not.toBe(0);
    expect(result?.stderr).not.toContain('ghs_secret');
  });

  it('reaches no network', async () => {
    const result = await git(['ls-remote', 'https://127.0.0.1:1/acme/widgets'], folder.repository('network'));
    expect(result).toMatchObject({ exitCode: 128, stderr: expect.stringContaining("'https' not allowed") });
  });

  it.each([
    ['https://user:pass@host/path', 'https://host/path'],
    ['ssh://git@host and http://a@b:c@host/x@y', 'ssh://host and http://host/x@y'],
    ['ann@example.com at https://host/a@b', 'ann@example.com at https://host/a@b'],
  ])('turns %s into %s', (text, expected) => {
    expect(withoutCredentials(text)).toBe(expected);
  });

  itWithPosixFiles("runs none of the programs that the repository's settings name", async () => {
    const workspace = folder.repository('hostile');
    const sha = folder.commit(workspace, 'first');
    const sign = join(folder.path, 'hostile-was-here');
    const program = join(folder.path, 'hostile.sh');
    writeFileSync(program, `#!/bin/sh\necho "$@" >> '${sign}'\nsleep 3600\n`, { mode: 0o755 });
    for (const name of [
      'core.fsmonitor',
      'core.pager',
      'pager.log',
      'core.sshCommand',
      'core.editor',
      'core.askPass',
    ]) {
      folder.git(workspace, 'config', name, program);
    }
    for (const name of [
      'gpg.program',
      'credential.helper',
      'diff.external',
      'core.gitProxy',
      'core.alternateRefsCommand',
    ]) {
      folder.git(workspace, 'config', name, program);
    }
    const hooks = join(folder.path, 'hostile-hooks');
    mkdirSync(hooks);
    for (const hook of ['reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'pre-auto-gc']) {
      symlinkSync(program, join(hooks, hook));
    }
    folder.git(workspace, 'config', 'core.hooksPath', hooks);
    // A partial clone fetches missing objects with the program that its settings name.
    folder.git(workspace, 'config', 'remote.origin.url', 'ssh://host.invalid/acme/widgets');
    folder.git(workspace, 'config', 'remote.origin.promisor', 'true');
    folder.git(workspace, 'config', 'core.repositoryFormatVersion', '1');
    folder.git(workspace, 'config', 'extensions.partialClone', 'origin');
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({ found: { sha } });
    const missing: SourceResult<unknown> = await readCommitFromGit(git, workspace, 'b'.repeat(40));
    expect(missing).toHaveProperty('miss');
    await expect(resolveWithGit(git, workspace, 'main')).resolves.toEqual({ found: sha });
    await expect(branchesWithCommit(git, workspace, sha)).resolves.toEqual(['main']);
    expect(existsSync(sign)).toBe(false);
  });
});
