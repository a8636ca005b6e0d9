import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conforms } from '../../../src/contract/check.ts';
import { type GitCommitInfo, gitCommitInfo } from '../../../src/contract/commit.ts';
import { probableBranch } from '../../../src/evidence/commit/branch.ts';
import type { CommitFacts } from '../../../src/evidence/commit/commit-facts.ts';
import { redactableFields } from '../../../src/evidence/commit/commit-redaction.ts';
import { gatherCommitEvidence } from '../../../src/evidence/commit/gather-commit.ts';
import type { GitHubCommits } from '../../../src/evidence/commit/github-commit.ts';
import type { SourceResult } from '../../../src/evidence/commit/source-result.ts';
import { createGitRunner, type GitRunner } from '../../../src/evidence/git/git-runner.ts';
import { readJob, repositoryInfo } from '../../../src/evidence/job.ts';
import { ExternalError, UserError } from '../../../src/runtime/failure.ts';
import * as events from '../../support/events.ts';
import {
  authorSeconds,
  committerSeconds,
  type GitFolder,
  gitFolder,
  isolatedGit,
} from '../../support/git-repository.ts';
import { jobEnvironment, jobOf } from '../../support/job.ts';
import { collectingLog } from '../../support/log.ts';

const { shas } = events;
const git = createGitRunner(isolatedGit);
const noGit: GitRunner = () => Promise.resolve(undefined);
const log = collectingLog();

/** The repository of a job: `first` is tagged v1, and `second` is the newest commit of main. */
let folder: GitFolder;
let workspace: string;
let first: string;
let second: string;

beforeAll(() => {
  folder = gitFolder();
  workspace = folder.repository('workspace');
  first = folder.commit(workspace, 'first\n');
  folder.git(workspace, 'tag', 'v1');
  second = folder.commit(workspace, 'second\n\nwith a body\n');
});

afterAll(() => {
  folder.remove();
});

/** A GitHub that returns these answers, and 404 for all other requests. */
function githubWith(answers: {
  commit?: SourceResult<CommitFacts>;
  head?: SourceResult<{ sha: string; branch: string | undefined }>;
}): GitHubCommits {
  const missing = { miss: { kind: 'user', what: 'it answered 404: Not Found', remedy: 'See.' } } as const;
  return {
    commit: () => Promise.resolve(answers.commit ?? missing),
    pullRequestHead: () => Promise.resolve(answers.head ?? missing),
  };
}

async function gatherInfo(...parameters: Parameters<typeof gatherCommitEvidence>): Promise<GitCommitInfo> {
  return (await gatherCommitEvidence(...parameters)).info;
}

function facts(sha: string): CommitFacts {
  return { sha, author: 'Ann Dev <ann@example.com>', message: 'from GitHub', timestamp: 1_767_323_045 };
}

const serverError = {
  miss: { kind: 'external', what: 'it answered 502: Server Error', remedy: 'Run the job again.' },
} as const;

describe('gatherCommitEvidence', () => {
  it('describes a pushed commit from the workspace, in the form of the contract', async () => {
    const variables = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: second, GITHUB_WORKSPACE: workspace };
    const job = jobOf('push', events.pushEvent({ head_commit: events.webhookCommit(second) }), variables);
    const runs: (readonly string[])[] = [];
    const counted: GitRunner = (commandLine, directory) => {
      runs.push(commandLine);
      return git(commandLine, directory);
    };
    const info = await gatherInfo({ job, log }, { git: counted, github: undefined });
    expect(info).toEqual({
      sha1: second,
      author: 'Ann Dev <ann@example.com>',
      branch: 'main',
      message: 'second\n\nwith a body',
      timestamp: authorSeconds,
      url: `https://github.com/acme/widgets/commit/${second}`,
    });
    expect(conforms(gitCommitInfo, info)).toBe(true);
    expect(runs).toHaveLength(1);
  });

  it.each([
    ['1', 1_700_000_000, 'The commit has no valid author date; its committer date is recorded.'],
    ['2', undefined, 'The commit has no valid date; it is recorded without one.'],
  ])('notes that a commit lacks dates (%s)', async (_count, committerTimestamp, note) => {
    const ownLog = collectingLog();
    const job = jobOf('push', {}, { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: shas.head });
    const commit = { found: { ...facts(shas.head), timestamp: undefined, committerTimestamp } };
    const info = await gatherInfo({ job, log: ownLog }, { git: noGit, github: githubWith({ commit }) });
    expect(info.timestamp).toBe(committerTimestamp);
    expect(conforms(gitCommitInfo, info)).toBe(true);
    expect(ownLog.infos).toContain(note);
  });

  it('cuts a message and an author of megabytes, marks them and logs it', async () => {
    const repository = folder.repository('megabytes');
    const sha = folder.commit(repository, `feat: first\n\n${'ü🚢'.repeat(1_000_000)}`);
    const ownLog = collectingLog();
    const job = jobOf('push', {}, { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: sha, GITHUB_WORKSPACE: repository });
    const { message = '' } = await gatherInfo({ job, log: ownLog }, { git, github: undefined });
    expect(message.startsWith('feat: first\n\nü🚢')).toBe(true);
    expect(message.endsWith(' [cut after 65536 bytes]')).toBe(true);
    expect(message).not.toContain('\uFFFD');
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(65_536 + 30);
    expect(ownLog.infos).toContain("The commit's message is longer than 65536 bytes; the rest is not recorded.");

    const commit = { found: { ...facts(shas.head), author: 'A'.repeat(5000), message: 'm'.repeat(65_536) } };
    const other = jobOf('push', {}, { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: shas.head });
    const info = await gatherInfo({ job: other, log }, { git: noGit, github: githubWith({ commit }) });
    expect(info.author).toBe(`${'A'.repeat(1024)} [cut after 1024 bytes]`);
    expect(info.message).toBe('m'.repeat(65_536));
  });

  it('uses the next source if git takes too long, and warns', async () => {
    const slow: GitRunner = () => Promise.resolve({ exitCode: -1, stdout: '', stderr: '', timedOutAfter: 30 });
    const warned = collectingLog();
    const variables = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: shas.head, GITHUB_WORKSPACE: workspace };
    const job = jobOf('push', events.pushEvent(), variables);
    const info = await gatherInfo({ job, log: warned }, { git: slow, github: undefined });
    expect(info).toMatchObject({ sha1: shas.head, author: 'Ann Dev <ann@example.com>', branch: 'main' });
    expect(warned.warnings).toEqual([
      expect.stringMatching(/^git took longer than 30 s and was killed\. Run `git log/u),
    ]);
  });

  it('describes the head of a pull request, even if the merge commit is checked out', async () => {
    const origin = folder.repository('pull-request');
    folder.commit(origin, 'base');
    folder.git(origin, 'checkout', '--quiet', '-b', 'feature/lid');
    const head = folder.commit(origin, 'the head');
    folder.git(origin, 'checkout', '--quiet', 'main');
    folder.git(origin, 'merge', '--quiet', '--no-ff', '--no-edit', 'feature/lid');
    const merge = folder.git(origin, 'rev-parse', 'HEAD');
    folder.git(origin, 'checkout', '--quiet', '--detach');
    const event = { pull_request: { number: 12, head: { sha: head, ref: 'feature/lid' } } };
    const job = jobOf('pull_request', event, {
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_SHA: merge,
      GITHUB_HEAD_REF: 'feature/lid',
      GITHUB_WORKSPACE: origin,
      GITHUB_SERVER_URL: 'https://git.acme.example',
    });
    await expect(gatherInfo({ job, log }, { git, github: undefined })).resolves.toMatchObject({
      sha1: head,
      branch: 'feature/lid',
      message: 'the head',
      url: `https://git.acme.example/acme/widgets/commit/${head}`,
    });
  });

  it("reads the event's payload if there is no checkout", async () => {
    const variables = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: shas.head, GITHUB_WORKSPACE: folder.path };
    const job = jobOf('push', events.pushEvent(), variables);
    for (const runner of [git, noGit]) {
      await expect(gatherInfo({ job, log }, { git: runner, github: undefined })).resolves.toMatchObject({
        sha1: shas.head,
        author: 'Ann Dev <ann@example.com>',
        message: 'feat: first\n\nbody line',
      });
    }
  });

  it('returns the committer date besides the evidence', async () => {
    const variables = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: second, GITHUB_WORKSPACE: workspace };
    const job = jobOf('push', events.pushEvent({ head_commit: events.webhookCommit(second) }), variables);
    const fromGit = await gatherCommitEvidence({ job, log }, { git, github: undefined });
    expect(fromGit.committedAt).toBe(committerSeconds);
    expect(Object.keys(fromGit.info)).not.toContain('committedAt');
  });

  it("asks GitHub's API if the payload contains only the SHA, and logs the source", async () => {
    const job = jobOf('pull_request', events.pullRequestEvent(), { GITHUB_WORKSPACE: workspace });
    const own = collectingLog();
    const github = githubWith({ commit: { found: facts(shas.head) } });
    await expect(gatherInfo({ job, log: own }, { git, github })).resolves.toMatchObject({ message: 'from GitHub' });
    expect(own.infos).toEqual([`Commit ${shas.head} is the head of pull request 12; described by GitHub's API.`]);
    expect(own.debugs).toHaveLength(2);
  });

  it('names the sources that were tried if none describes the commit', async () => {
    const job = jobOf('pull_request', events.pullRequestEvent());
    const gathering = gatherInfo({ job, log }, { git: noGit, github: undefined });
    await expect(gathering).rejects.toThrow(UserError);
    await expect(gathering).rejects.toMatchObject({
      message:
        `No source describes the commit ${shas.head} (the head of pull request 12). ` +
        "git in the workspace: GITHUB_WORKSPACE is not set; the event's payload: it does not describe the commit; " +
        "GitHub's API: it was not used, because the step has no token.",
      remedy: expect.stringContaining('`github-token: ${{ github.token }}`'),
    });
  });

  it("reports an external error if GitHub's API failed", async () => {
    const job = jobOf('pull_request', events.pullRequestEvent(), { GITHUB_WORKSPACE: folder.path });
    const gathering = gatherInfo({ job, log }, { git, github: githubWith({ commit: serverError }) });
    await expect(gathering).rejects.toThrow(ExternalError);
    await expect(gathering).rejects.toMatchObject({
      message: expect.stringMatching(/no git repository.*GitHub's API: it answered 502: Server Error\.$/),
      remedy: 'Run the job again.',
    });
  });

  it("rejects the description of another commit from GitHub's API", async () => {
    const job = jobOf('pull_request', events.pullRequestEvent(), { GITHUB_WORKSPACE: workspace });
    const github = githubWith({ commit: { found: facts(shas.merge) } });
    await expect(gatherInfo({ job, log }, { git, github })).rejects.toThrow(/another commit, b{40}/);
  });

  it('omits the URL if the repository is unknown', async () => {
    const job = { ...readJob({ GITHUB_WORKSPACE: workspace, GITHUB_SHA: second }), eventName: 'schedule' };
    const info = await gatherInfo({ job, log }, { git, github: undefined });
    expect(info).not.toHaveProperty('url');
    expect(info.branch).toBe('main');
  });

  it.each(redactableFields)('leaves out the %s when it is to be redacted', async (field) => {
    const variables = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: second, GITHUB_WORKSPACE: workspace };
    const job = jobOf('schedule', events.scheduleEvent(), variables);
    const whole = await gatherInfo({ job, log }, { git, github: undefined });
    const rest = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));
    const info = await gatherInfo({ job, log, redact: [field] }, { git, github: undefined });
    expect(whole).toHaveProperty(field);
    expect(info).toStrictEqual(rest);
  });
});

describe('gatherCommitEvidence on a comment', () => {
  const variables = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: shas.base };
  const comment = events.issueCommentEvent('pull request');

  it("asks GitHub for the pull request's head", async () => {
    const job = jobOf('issue_comment', comment, { ...variables, GITHUB_WORKSPACE: workspace });
    const github = githubWith({ head: { found: { sha: second, branch: 'feature/lid' } } });
    await expect(gatherInfo({ job, log }, { git, github })).resolves.toMatchObject({
      sha1: second,
      branch: 'feature/lid',
      message: 'second\n\nwith a body',
    });
  });

  it('asks for a token if there is none', async () => {
    const job = jobOf('issue_comment', comment, variables);
    const gathering = gatherInfo({ job, log }, { git, github: undefined });
    await expect(gathering).rejects.toThrow(
      /does not say which commit is the head of pull request 12, and GitHub's API/,
    );
    await expect(gathering).rejects.toMatchObject({
      kind: 'user',
      remedy: expect.stringMatching(/pull-requests: read.*`commit-sha`/),
    });
  });

  it("reports an external error if GitHub's API failed", async () => {
    const job = jobOf('issue_comment', comment, variables);
    const github = githubWith({ head: serverError });
    await expect(gatherInfo({ job, log }, { git, github })).rejects.toThrow(ExternalError);
  });
});

describe('gatherCommitEvidence of a tag', () => {
  const onTag = { GITHUB_REF: 'refs/tags/v1', GITHUB_REF_TYPE: 'tag' };

  it('uses the branch on which git finds the commit', async () => {
    const job = jobOf('release', events.releaseEvent(), {
      ...onTag,
      GITHUB_SHA: first,
      GITHUB_WORKSPACE: workspace,
    });
    await expect(gatherInfo({ job, log }, { git, github: undefined })).resolves.toMatchObject({
      sha1: first,
      branch: 'main',
    });
  });

  it('uses the tag if the checkout has no branch', async () => {
    folder.git(folder.path, 'clone', '--quiet', '--depth=1', '--branch=v1', `file://${workspace}`, 'tag-only');
    const checkout = { GITHUB_WORKSPACE: `${folder.path}/tag-only`, GITHUB_SHA: first };
    const job = jobOf('release', events.releaseEvent(), { ...onTag, ...checkout });
    await expect(gatherInfo({ job, log }, { git, github: undefined })).resolves.toMatchObject({ branch: 'v1' });
  });

  it('uses the tag if there is no checkout', async () => {
    const job = jobOf('push', events.tagPushEvent(), { ...onTag, GITHUB_SHA: shas.head });
    await expect(gatherInfo({ job, log }, { git, github: undefined })).resolves.toMatchObject({ branch: 'v1' });
  });

  it('does not look for a branch that is to be redacted', async () => {
    const job = jobOf('release', events.releaseEvent(), {
      ...onTag,
      GITHUB_SHA: first,
      GITHUB_WORKSPACE: workspace,
    });
    const once: GitRunner = (commandLine, directory) => {
      expect(commandLine[0]).toBe('log');
      return git(commandLine, directory);
    };
    const info = await gatherInfo({ job, log, redact: ['branch'] }, { git: once, github: undefined });
    expect(info).not.toHaveProperty('branch');
  });
});

describe('gatherCommitEvidence with `commit-sha`', () => {
  const variables = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: shas.base };

  it.each(['v1', 'main~1', 'first digits'])('resolves %s with git', async (name) => {
    const job = jobOf('schedule', {}, { ...variables, GITHUB_WORKSPACE: workspace });
    const commitSha = name === 'first digits' ? first.slice(0, 10) : name;
    await expect(gatherInfo({ job, log, commitSha }, { git, github: undefined })).resolves.toMatchObject({
      sha1: first,
      message: 'first',
      branch: 'main',
    });
  });

  it('asks GitHub for a name that git does not know', async () => {
    const job = jobOf('schedule', events.scheduleEvent(), { ...variables, GITHUB_WORKSPACE: workspace });
    const github = githubWith({ commit: { found: facts(shas.head) } });
    const info = await gatherInfo({ job, log, commitSha: 'elsewhere' }, { git, github });
    expect(info).toMatchObject({ sha1: shas.head, message: 'from GitHub' });
    expect(info).not.toHaveProperty('branch');
  });

  it('names the sources that were tried if the name is not found', async () => {
    const job = jobOf('schedule', events.scheduleEvent(), { ...variables, GITHUB_WORKSPACE: workspace });
    const request = { job, log, commitSha: 'v9' };
    await expect(gatherInfo(request, { git, github: undefined })).rejects.toMatchObject({
      kind: 'user',
      message:
        'commit-sha: commit v9 was not found. Tried git in the workspace: the repository does not have it; ' +
        "GitHub's API: it was not used, because the step has no token.",
      problems: [expect.objectContaining({ input: 'commit-sha' })],
    });
    const github = githubWith({ commit: serverError });
    await expect(gatherInfo(request, { git, github })).rejects.toThrow(ExternalError);
  });

  it('records no branch if several contain the commit and none is expected', async () => {
    const origin = folder.repository('several');
    const sha = folder.commit(origin, 'first');
    folder.git(origin, 'branch', 'one');
    folder.git(origin, 'branch', '-m', 'main', 'two');
    const job = jobOf('schedule', {}, { GITHUB_SHA: shas.base, GITHUB_WORKSPACE: origin });
    const info = await gatherInfo({ job, log, commitSha: sha }, { git, github: undefined });
    expect(info).not.toHaveProperty('branch');
  });
});

describe('probableBranch', () => {
  it.each([
    [{ likely: ['main'], fallback: 'v1' }, ['release', 'main'], 'main'],
    [{ likely: [undefined, 'b', 'a'] }, ['a', 'b'], 'b'],
    [{ likely: ['main'], fallback: 'v1' }, ['release'], 'release'],
    [{ likely: ['main'], fallback: 'v1' }, ['one', 'two'], 'v1'],
    [{ fallback: 'v1' }, [], 'v1'],
    [{}, ['one', 'two'], undefined],
    [{}, [], undefined],
  ])('of %j on %j is %s', (hint, containing, branch) => {
    expect(probableBranch(hint, containing)).toBe(branch);
  });
});

describe('repositoryInfo', () => {
  it('has the form that the clients of the service report', () => {
    expect(repositoryInfo(readJob(jobEnvironment))).toEqual({
      name: 'acme/widgets',
      url: 'https://github.com/acme/widgets',
      id: '99001',
      provider: 'github',
    });
  });

  it('omits an unknown id, and is undefined outside a GitHub job', () => {
    const job = readJob({ GITHUB_REPOSITORY: 'acme/widgets' });
    expect(repositoryInfo(job)).not.toHaveProperty('id');
    expect(repositoryInfo(readJob({}))).toBeUndefined();
  });
});
