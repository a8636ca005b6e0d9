import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { branchesWithCommit, readCommitFromGit, resolveWithGit } from '../../../src/evidence/commit/git-commit.ts';
import type { SourceResult } from '../../../src/evidence/commit/source-result.ts';
import { createGitRunner, type GitRunner } from '../../../src/evidence/git/git-runner.ts';
import { authorSeconds, type GitFolder, gitFolder, isolatedGit } from '../../support/git-repository.ts';

const git = createGitRunner(isolatedGit);
let folder: GitFolder;

beforeAll(() => {
  folder = gitFolder();
});

afterAll(() => {
  folder.remove();
});

function counting(runner: GitRunner): { readonly runner: GitRunner; runs(): number } {
  let runs = 0;
  return {
    runner: (commandLine, directory) => {
      runs += 1;
      return runner(commandLine, directory);
    },
    runs: () => runs,
  };
}

/** A commit with unchanged author and committer, which `git commit` would correct. */
function rawCommit(workspace: string, author: string, committer: string): string {
  const tree = folder.git(workspace, 'mktree');
  const file = join(workspace, 'raw-commit');
  writeFileSync(file, `tree ${tree}\nauthor ${author}\ncommitter ${committer}\n\nraw\n`);
  return folder.git(workspace, 'hash-object', '-t', 'commit', '-w', '--literally', file);
}

function reasonOf(answer: SourceResult<unknown>): string {
  return 'miss' in answer ? answer.miss.what : 'found';
}

describe('readCommitFromGit', () => {
  it('reads the whole commit with one process', async () => {
    const workspace = folder.repository('plain');
    const sha = folder.commit(workspace, 'feat: first\n\nbody line\n\nlast line\n');
    const counted = counting(git);
    await expect(readCommitFromGit(counted.runner, workspace, sha)).resolves.toEqual({
      found: {
        sha,
        author: 'Ann Dev <ann@example.com>',
        message: 'feat: first\n\nbody line\n\nlast line',
        timestamp: authorSeconds,
        committerTimestamp: Date.parse('2026-02-03T04:05:06Z') / 1000,
      },
    });
    expect(counted.runs()).toBe(1);
  });

  it.each([
    ['empty', '', ''],
    ['of line breaks', '\n\n\n', ''],
    ['in other scripts', 'füße 出荷 🚢\n', 'füße 出荷 🚢'],
    ['with what looks like a format', '%H %x00 %n\n', '%H %x00 %n'],
    ['with Windows line ends', 'one\r\n\r\ntwo\r\n', 'one\r\n\r\ntwo'],
    ['with trailing blanks and comment signs', 'one  \n\n# two\n  three\n\n', 'one  \n\n# two\n  three'],
    ['with quotes and shell signs', "\"; rm -rf $(HOME) `x` 'y' %PATH%\n", "\"; rm -rf $(HOME) `x` 'y' %PATH%"],
  ])('gives a message %s as it is', async (name, message, expected) => {
    const workspace = folder.repository(`message ${name}`);
    const sha = folder.commit(workspace, message);
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({ found: { sha, message: expected } });
  });

  it.each([
    ['is missing', 'A <a@b>', undefined],
    ['is negative', 'A <a@b> -1000 +0000', undefined],
    ['is no number', 'A <a@b> soon +0000', undefined],
    ['is larger than 64 bits', 'A <a@b> 99999999999999999999 +0000', undefined],
    ['is in milliseconds', 'A <a@b> 1767323045000 +0000', undefined],
    ['is the beginning of time', 'A <a@b> 0 +0000', 0],
    ['is missing with the author', '', undefined],
  ])('reads a commit whose author date %s', async (name, author, timestamp) => {
    const workspace = folder.repository(`date ${name}`);
    const sha = rawCommit(workspace, author, 'C <c@d> 1700000000 +0000');
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({
      found: { sha, timestamp, committerTimestamp: 1_700_000_000, message: 'raw' },
    });
  });

  it('reads a long message in full', async () => {
    const workspace = folder.repository('long');
    const message = 'ü🚢'.repeat(100_000);
    const sha = folder.commit(workspace, message);
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({ found: { message } });
  });

  it('turns a Latin-1 commit into Unicode', async () => {
    const workspace = folder.repository('latin');
    const latin = Buffer.from('größe\n', 'latin1');
    const sha = folder.commit(workspace, latin, '-c', 'i18n.commitEncoding=ISO-8859-1');
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({ found: { message: 'größe' } });
  });

  it.each([
    ['Zoë "Z" O\'Hara', 'zoe+ci@exa mple.com', 'Zoë "Z" O\'Hara <zoe+ci@exa mple.com>'],
    ['dependabot[bot]', '49699333+dependabot[bot]@users.noreply.github.com', undefined],
    ['No Mail', '', 'No Mail'],
  ])('writes the author %s with the e-mail "%s"', async (name, email, expected) => {
    const workspace = folder.repository(`author ${name.replaceAll(/\W/g, '')}`);
    folder.commit(workspace, 'first');
    folder.git(workspace, 'commit', '--quiet', '--amend', '--allow-empty', '--no-edit', `--author=${name} <${email}>`);
    const sha = folder.git(workspace, 'rev-parse', 'HEAD');
    const author = expected ?? `${name} <${email}>`;
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({ found: { author } });
  });

  it("ignores the repository's settings", async () => {
    const workspace = folder.repository('settings');
    const sha = folder.commit(workspace, 'größe\n');
    const settings = [
      'log.showSignature=true',
      'gpg.program=/nowhere/gpg',
      'i18n.logOutputEncoding=UTF-16',
      'format.pretty=oneline',
      'color.ui=always',
      'log.mailmap=true',
      'log.decorate=full',
      'log.date=relative',
      'core.pager=false',
    ];
    for (const setting of settings) folder.git(workspace, 'config', ...setting.split('='));
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({
      found: { sha, message: 'größe', author: 'Ann Dev <ann@example.com>', timestamp: authorSeconds },
    });
  });

  it('reads the commit itself, not its replacement', async () => {
    const workspace = folder.repository('replaced');
    const sha = folder.commit(workspace, 'the truth');
    const other = folder.commit(workspace, 'a fake');
    folder.git(workspace, 'replace', sha, other);
    await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({
      found: { sha, message: 'the truth' },
    });
  });

  it('reads from shallow clones, detached heads, worktrees and submodules', async () => {
    const origin = folder.repository('origin');
    folder.commit(origin, 'first');
    const sha = folder.commit(origin, 'second');
    folder.git(folder.path, 'clone', '--quiet', '--depth=1', `file://${origin}`, 'shallow');
    const shallow = join(folder.path, 'shallow');
    folder.git(shallow, 'checkout', '--quiet', '--detach');
    folder.git(origin, 'worktree', 'add', '--quiet', '--detach', join(folder.path, 'worktree'));
    const outer = folder.repository('outer');
    folder.git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'inner');
    for (const workspace of [shallow, join(folder.path, 'worktree'), join(outer, 'inner')]) {
      await expect(readCommitFromGit(git, workspace, sha)).resolves.toMatchObject({
        found: { sha, message: 'second' },
      });
    }
  });

  it('resolves the SHA of an annotated tag to its commit', async () => {
    const workspace = folder.repository('annotated');
    const sha = folder.commit(workspace, 'tagged');
    folder.git(workspace, 'tag', '--annotate', '--message=one', 'v1');
    const tag = folder.git(workspace, 'rev-parse', 'v1');
    expect(tag).not.toBe(sha);
    await expect(readCommitFromGit(git, workspace, tag)).resolves.toMatchObject({ found: { sha, message: 'tagged' } });
  });

  it('reads a workspace that another user owns', async () => {
    const workspace = folder.repository('foreign');
    const sha = folder.commit(workspace, 'theirs');
    const foreign = createGitRunner({ ...isolatedGit, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' });
    await expect(readCommitFromGit(foreign, workspace, sha)).resolves.toMatchObject({ found: { sha } });
  });

  it('reads a workspace that another user owns and that git knows by another path', async () => {
    const real = folder.repository('real');
    const sha = folder.commit(real, 'theirs');
    const link = join(folder.path, 'link');
    symlinkSync(real, link, 'junction');
    const foreign = createGitRunner({ ...isolatedGit, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' });
    await expect(readCommitFromGit(foreign, link, sha)).resolves.toMatchObject({ found: { sha } });
  });

  it('says that the repository does not have the commit, as after a shallow checkout of a merge commit', async () => {
    const origin = folder.repository('merge-origin');
    folder.commit(origin, 'base');
    folder.git(origin, 'checkout', '--quiet', '-b', 'feature');
    const head = folder.commit(origin, 'the head');
    folder.git(origin, 'checkout', '--quiet', 'main');
    folder.commit(origin, 'main moves on');
    folder.git(origin, 'merge', '--quiet', '--no-ff', '--no-edit', 'feature');
    for (const [depth, words] of [
      ['1', 'the repository does not have it'],
      ['2', 'found'],
    ] as const) {
      folder.git(
        folder.path,
        'clone',
        '--quiet',
        `--depth=${depth}`,
        '--branch=main',
        `file://${origin}`,
        `depth-${depth}`,
      );
      expect(reasonOf(await readCommitFromGit(git, join(folder.path, `depth-${depth}`), head))).toBe(words);
    }
  });

  it('reports why there is no repository', async () => {
    const empty = join(folder.path, 'empty');
    mkdirSync(empty);
    const sha = 'a'.repeat(40);
    const noRepository = 'there is no git repository in GITHUB_WORKSPACE';
    expect(reasonOf(await readCommitFromGit(git, empty, sha))).toBe(noRepository);
    expect(reasonOf(await readCommitFromGit(git, undefined, sha))).toBe('GITHUB_WORKSPACE is not set');
    expect(reasonOf(await readCommitFromGit(git, join(folder.path, 'gone'), sha))).toMatch(
      /^git said: .*No such file or directory/,
    );
  });

  it('reports that git is missing', async () => {
    const without = createGitRunner({ ...isolatedGit, PATH: folder.path });
    expect(reasonOf(await readCommitFromGit(without, folder.path, 'a'.repeat(40)))).toBe(
      'git is not installed on the runner',
    );
  });

  it("reports git's message about a broken repository", async () => {
    const workspace = folder.repository('broken');
    const sha = folder.commit(workspace, 'first');
    folder.git(workspace, 'config', 'core.repositoryFormatVersion', '99');
    expect(reasonOf(await readCommitFromGit(git, workspace, sha))).toMatch(/^git said: .*99/);
  });

  it.each([
    [{ exitCode: 3, stdout: '', stderr: '' }, 'git ended with exit code 3'],
    [{ exitCode: 0, stdout: 'a commit', stderr: '' }, 'git printed the commit in an unknown format'],
    [
      { exitCode: 0, stdout: `${'a'.repeat(40)}\0A\0a@b\x001\x001`, stderr: '' },
      'git printed the commit in an unknown format',
    ],
  ])('does not take %j for a commit', async (result, words) => {
    const answer = await readCommitFromGit(() => Promise.resolve(result), folder.path, 'a'.repeat(40));
    expect(reasonOf(answer)).toBe(words);
  });
});

describe('resolveWithGit', () => {
  it('resolves abbreviated SHAs, tags, branches and relatives', async () => {
    const workspace = folder.repository('names');
    const first = folder.commit(workspace, 'first');
    folder.git(workspace, 'tag', '--annotate', '--message=one', 'v1');
    const second = folder.commit(workspace, 'second');
    for (const [name, sha] of [
      [first.slice(0, 12), first],
      ['v1', first],
      ['HEAD~1', first],
      ['main', second],
    ] as const) {
      await expect(resolveWithGit(git, workspace, name)).resolves.toEqual({ found: sha });
    }
  });

  it('refuses a name that is a tag and a branch', async () => {
    const workspace = folder.repository('twice');
    folder.commit(workspace, 'first');
    folder.git(workspace, 'tag', 'twice');
    folder.commit(workspace, 'second');
    folder.git(workspace, 'branch', 'twice');
    folder.git(workspace, 'config', 'core.warnAmbiguousRefs', 'false');
    await expect(resolveWithGit(git, workspace, 'twice')).rejects.toThrow('commit-sha: twice is ambiguous');
    await expect(resolveWithGit(git, workspace, 'refs/heads/twice')).resolves.toHaveProperty('found');
  });

  it('refuses the first digits of more than one commit', async () => {
    const ambiguous: GitRunner = () =>
      Promise.resolve({
        exitCode: 128,
        stdout: '',
        stderr:
          'error: short object ID 1f0a is ambiguous\nhint: The candidates are:\nfatal: Needed a single revision\n',
      });
    await expect(resolveWithGit(ambiguous, folder.path, '1f0a')).rejects.toThrow('1f0a is ambiguous');
  });

  it('is a miss if the name does not exist', async () => {
    const workspace = folder.repository('unknown');
    folder.commit(workspace, 'first');
    expect(reasonOf(await resolveWithGit(git, workspace, 'v9'))).toBe('the repository does not have it');
    expect(reasonOf(await resolveWithGit(git, undefined, 'v9'))).toBe('GITHUB_WORKSPACE is not set');
  });

  it('rejects a SHA-256', async () => {
    const workspace = join(folder.path, 'sha256');
    mkdirSync(workspace);
    folder.git(workspace, 'init', '--quiet', '--object-format=sha256');
    folder.commit(workspace, 'first');
    expect(reasonOf(await resolveWithGit(git, workspace, 'HEAD'))).toMatch(/other than a SHA-1$/);
  });
});

describe('branchesWithCommit', () => {
  it('names local and remote branches once, without HEAD and without pull requests', async () => {
    const origin = folder.repository('branches');
    const sha = folder.commit(origin, 'first');
    folder.git(origin, 'branch', 'release/1');
    folder.git(origin, 'checkout', '--quiet', '--orphan', 'other');
    folder.commit(origin, 'unrelated');
    folder.git(origin, 'checkout', '--quiet', 'main');
    folder.git(folder.path, 'clone', '--quiet', `file://${origin}`, 'branches-clone');
    const clone = join(folder.path, 'branches-clone');
    folder.git(clone, 'update-ref', 'refs/remotes/pull/12/merge', sha);
    const branches = await branchesWithCommit(git, clone, sha);
    expect([...branches].sort()).toEqual(['main', 'release/1']);
  });

  it('finds none without a repository', async () => {
    await expect(branchesWithCommit(git, folder.path, 'a'.repeat(40))).resolves.toEqual([]);
  });
});
