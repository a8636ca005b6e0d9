import { describe, expect, it } from '@jest/globals';
import type { Job } from '../../../src/evidence/job.ts';
import { createTransport } from '../../../src/http/undici-transport.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import { ExternalError } from '../../../src/runtime/failure.ts';
import { publishPending, publishResult } from '../../../src/step/publish/publish.ts';
import { Cancellation } from '../../../src/step/run/cancellation.ts';
import type { PublicationSettings } from '../../../src/step/run/common-inputs.ts';
import { decideFailure, decideResult } from '../../../src/step/run/gate.ts';
import { readStepIdentity } from '../../../src/step/run/step-identity.ts';
import type { StepResult } from '../../../src/step/run/step-result.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { manualClock } from '../../support/clock.ts';
import { closeAfterEach } from '../../support/close-after-each.ts';
import { branchDeletionPushEvent, issueCommentEvent, pullRequestEvent, shas } from '../../support/events.ts';
import { type FakeGitHub, githubError, type GitHubReply, startGitHub } from '../../support/fake-github.ts';
import { type GitHubRepository, githubRepository } from '../../support/fake-github-repository.ts';
import { inputSource } from '../../support/input-source.ts';
import { jobOf } from '../../support/job.ts';
import { commandsNamed } from '../../support/workflow-command.ts';

const keep = closeAfterEach();
const both: PublicationSettings = { pullRequestComment: true, commitStatus: 'compliance/web', githubToken: 'hush' };
const stepResult = {
  decision: decideFailure(new ExternalError({ what: 'no answer', remedy: 'Try again.' })),
  runUrl: undefined,
  summary: true,
};

function stepResultOf(
  result: Pick<OperationResult, 'outcome' | 'commits'> & { readonly outcome: 'compliant' | 'skipped' },
): StepResult {
  const report = { subject: 'Artifact', facts: [] };
  const whole = { conclusion: 'So it ended.', response: {}, report, ...result };
  return { decision: decideResult(whole, 'fail'), result: whole, runUrl: undefined, summary: true };
}

function compliantOf(commits: readonly string[] | undefined): StepResult {
  return stepResultOf({ outcome: 'compliant', commits });
}

function prJob(apiUrl: string): Job {
  return jobOf('pull_request', pullRequestEvent(), { GITHUB_API_URL: apiUrl });
}

/** Publishes a result and returns the warnings. */
async function warningsOf(
  job: Job | undefined,
  {
    wanted = both,
    cancelled = new AbortController().signal,
    clock = manualClock(),
    shown = stepResult,
    redact = (text) => text,
  }: {
    readonly wanted?: PublicationSettings;
    readonly cancelled?: AbortSignal;
    readonly clock?: Clock;
    readonly shown?: StepResult;
    readonly redact?: (text: string) => string;
  } = {},
): Promise<readonly string[]> {
  const transport = keep(createTransport({}));
  const { log } = await captureOutput([], (target) =>
    publishResult(shown, wanted, {
      environment: {},
      job,
      identity: readStepIdentity(inputSource({})),
      redact,
      log: target.runner.log,
      transport,
      cancelled,
      clock,
      random: () => 0,
    }),
  );
  return commandsNamed(log, 'warning').map(({ message }) => message);
}

/** A pull request in a repository that takes comments and statuses. */
async function openPullRequest(
  options: Parameters<typeof startGitHub>[1] = {},
): Promise<{ readonly repository: GitHubRepository; readonly job: Job }> {
  const repository = githubRepository();
  const server = keep(await startGitHub({}, { repository, ...options }));
  return { repository, job: prJob(server.url) };
}

function silent(): Promise<FakeGitHub> {
  return startGitHub({}, { fault: (): GitHubReply => 'never' });
}

/** Waits until both requests have arrived. */
async function bothRequested(server: FakeGitHub): Promise<void> {
  while (server.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
}

describe('publishPending', () => {
  async function statusesOf(wanted: PublicationSettings): Promise<readonly unknown[]> {
    const { repository, job } = await openPullRequest();
    const transport = keep(createTransport({}));
    const { log } = await captureOutput([], (target) =>
      publishPending(wanted, {
        environment: {},
        job,
        identity: readStepIdentity(inputSource({})),
        redact: target.secrets.redact,
        log: target.runner.log,
        transport,
        cancelled: new AbortController().signal,
        clock: manualClock(),
        random: () => 0,
      }),
    );
    expect(commandsNamed(log, 'warning')).toEqual([]);
    expect(repository.comments).toEqual([]);
    return repository.statuses;
  }

  it('sets the status to pending, so that an older one does not allow a merge', async () => {
    expect(await statusesOf(both)).toMatchObject([
      { sha: shas.head, state: 'pending', context: 'compliance/web', description: 'Waiting for the verdict.' },
    ]);
  });

  it('does nothing in a dry run, without a status or without a token', async () => {
    expect(await statusesOf({ ...both, dryRun: true })).toEqual([]);
    expect(await statusesOf({ ...both, commitStatus: undefined })).toEqual([]);
    expect(await statusesOf({ ...both, githubToken: undefined })).toEqual([]);
  });
});

describe('publishResult', () => {
  it('takes no longer than one request timeout if GitHub does not answer', async () => {
    const server = keep(await silent());
    const clock = manualClock();
    const warned = warningsOf(prJob(server.url), { clock });
    await bothRequested(server);
    await clock.advance(10_000);
    expect(await warned).toEqual([
      expect.stringContaining('no answer within 10 seconds'),
      expect.stringContaining('no answer within 10 seconds'),
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('still publishes the result of a cancelled job, within five seconds', async () => {
    const cancelled = AbortSignal.abort(new Cancellation('SIGTERM'));
    const { repository, job } = await openPullRequest();
    expect(await warningsOf(job, { cancelled })).toEqual([]);
    expect(repository.comments).toHaveLength(1);
    expect(repository.statuses).toMatchObject([{ sha: shas.head, state: 'error' }]);

    const server = keep(await silent());
    const clock = manualClock();
    const warned = warningsOf(prJob(server.url), { cancelled, clock });
    await bothRequested(server);
    await clock.advance(5_000);
    expect(await warned).toEqual([
      expect.stringContaining('GitHub did not answer within 5 seconds'),
      expect.stringContaining('GitHub did not answer within 5 seconds'),
    ]);
  });

  it('has five seconds left if the job is cancelled meanwhile, and does not claim that nothing was judged', async () => {
    const server = keep(await silent());
    const cancelled = new AbortController();
    const clock = manualClock();
    const warned = warningsOf(prJob(server.url), { cancelled: cancelled.signal, clock });
    await bothRequested(server);
    cancelled.abort(new Cancellation('SIGINT'));
    await clock.advance(5_000);
    const words =
      'GitHub did not answer within 5 seconds. A cancelled job has no time left; run it again. The verdict is not affected.';
    expect(await warned).toEqual([expect.stringContaining(words), expect.stringContaining(words)]);
    expect(clock.pending()).toBe(0);
  });

  it('publishes the verdict even if the job is cancelled meanwhile', async () => {
    const cancelled = new AbortController();
    const fault = (): undefined => {
      cancelled.abort(new Cancellation('SIGTERM'));
    };
    const { repository, job } = await openPullRequest({ fault });
    expect(await warningsOf(job, { cancelled: cancelled.signal })).toEqual([]);
    expect(repository.comments).toHaveLength(1);
    expect(repository.statuses).toHaveLength(1);
  });

  it('does not set success on a commit that was not judged, and names the judged one', async () => {
    const { repository, job } = await openPullRequest();
    const other = /`: the verdict is for commit cccccccccccc, not for a{40}\. Judge /u;
    const warnings = await warningsOf(job, { shown: compliantOf([shas.base]) });
    expect(warnings).toEqual([expect.stringMatching(other), expect.stringMatching(other)]);
    expect(repository.statuses).toMatchObject([{ sha: shas.head, state: 'failure' }]);
    expect(repository.comments[0]?.body).toContain('Not for this commit: the verdict is for commit cccccccccccc.');
  });

  it.each([
    ['the head of the pull request', [shas.head]],
    ['the head, shortened', [shas.head.slice(0, 7)]],
    ["the pull request's merge commit", [shas.merge]],
    ['no known commit', undefined],
  ])('sets success if the verdict is for %s', async (_what, commits) => {
    const request = await openPullRequest();
    const job = { ...request.job, ref: 'refs/pull/12/merge', sha: shas.merge };
    expect(await warningsOf(job, { shown: compliantOf(commits) })).toEqual([]);
    expect(request.repository.statuses).toMatchObject([{ sha: shas.head, state: 'success' }]);
  });

  it.each([
    ['the default branch’s commit, which is GITHUB_SHA for some events', [shas.base]],
    ['several commits, if only one of them is that of the status', [shas.head, shas.base]],
    ['fewer digits of the commit than git shows', [shas.head.slice(0, 6)]],
  ])('does not set success for %s', async (_what, commits) => {
    const request = await openPullRequest();
    const job = { ...request.job, ref: 'refs/heads/main', sha: shas.base };
    await warningsOf(job, { shown: compliantOf(commits) });
    expect(request.repository.statuses).toMatchObject([{ state: 'failure' }]);
  });

  it('reports a defect as such, and still publishes the other one', async () => {
    const { repository, job } = await openPullRequest();
    const redact = (): never => {
      throw new TypeError('x is not a function');
    };
    expect(await warningsOf(job, { redact })).toEqual([
      expect.stringMatching(/was not written: a defect in compliance-action: x is not a function\. Report this/u),
    ]);
    expect(repository.statuses).toHaveLength(1);
  });

  it('sets the status to pending in a dry run, and writes no comment', async () => {
    const { repository, job } = await openPullRequest();
    const shown = stepResultOf({ outcome: 'skipped' });
    expect(await warningsOf(job, { shown, wanted: { ...both, dryRun: true } })).toEqual([]);
    expect(repository.statuses).toMatchObject([{ sha: shas.head, state: 'pending', context: 'compliance/web' }]);
    expect(repository.comments).toEqual([]);
  });

  it('asks GitHub for nothing in a dry run that sets no status', async () => {
    const server = keep(await silent());
    const wanted = { ...both, commitStatus: undefined, dryRun: true };
    expect(await warningsOf(prJob(server.url), { wanted })).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['an HTML page', { status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } }],
    ['another status', { status: 201, body: { state: 'error', context: 'another' } }],
  ])('does not accept %s as success', async (_what, reply) => {
    const { job } = await openPullRequest({ fault: () => reply });
    expect(await warningsOf(job)).toEqual([
      expect.stringContaining('its response is not the status.'),
      expect.stringContaining('its response is not the list of comments.'),
    ]);
  });

  it('says how to fix a locked conversation, with one full stop', async () => {
    const locked = githubError(403, 'Unable to create comment because issue is locked.');
    const fault = ({ method, url }: { method: string; url: string }): GitHubReply | undefined =>
      method === 'POST' && url.endsWith('/comments') ? locked : undefined;
    const { job } = await openPullRequest({ fault });
    expect(await warningsOf(job)).toEqual([
      expect.stringMatching(
        /issue is locked\. - https:\S+rest\. Unlock the conversation.* `pull-request-comment`\. The verdict/u,
      ),
    ]);
  });

  it("warns of a refusal, except for a fork's missing permissions if the step was skipped for that", async () => {
    const readOnly = githubError(403, 'Resource not accessible by integration');
    const server = keep(await startGitHub({}, { fault: () => readOnly }));
    const job = jobOf('pull_request', pullRequestEvent({ fork: true }), { GITHUB_API_URL: server.url });
    expect(await warningsOf(job, { shown: stepResultOf({ outcome: 'skipped' }) })).toEqual([]);
    expect(await warningsOf(job, { shown: stepResultOf({ outcome: 'compliant' }) })).toHaveLength(2);
    const invalid = keep(await startGitHub({}, { fault: () => githubError(401, 'Bad credentials') }));
    const other = { ...job, apiUrl: invalid.url };
    expect(await warningsOf(other, { shown: stepResultOf({ outcome: 'skipped' }) })).toHaveLength(2);
  });

  it('says why the commit of a status is unknown', async () => {
    const server = keep(await startGitHub({}, { repository: githubRepository() }));
    const job = jobOf('push', branchDeletionPushEvent(), { GITHUB_API_URL: server.url });
    expect(await warningsOf(job)).toEqual([expect.stringMatching(/^`commit-status`: .*no commit to judge/u)]);
  });

  it('asks GitHub for the head of a pull request on `issue_comment`', async () => {
    const repository = githubRepository();
    const pull = { status: 200, body: { head: { sha: shas.head, ref: 'feature/lid' } } };
    const server = keep(await startGitHub({ '/repos/acme/widgets/pulls/12': pull }, { repository }));
    const job = jobOf('issue_comment', issueCommentEvent('pull request'), { GITHUB_API_URL: server.url });
    expect(await warningsOf(job)).toEqual([]);
    expect(repository.statuses).toMatchObject([{ sha: shas.head }]);
    expect(repository.comments[0]?.body).toContain(`commit=${shas.head}`);
  });

  it('writes the comment even if the commit is unknown', async () => {
    const repository = githubRepository();
    const server = keep(await startGitHub({}, { repository }));
    const job = jobOf('issue_comment', issueCommentEvent('pull request'), { GITHUB_API_URL: server.url });
    expect(await warningsOf(job)).toEqual([expect.stringMatching(/^`commit-status`: .*head of pull request 12/u)]);
    expect(repository.comments[0]?.body).not.toContain('Judged commit');
  });

  it('says what is missing', async () => {
    const job = prJob('http://127.0.0.1:9');
    expect(await warningsOf(undefined)).toEqual([
      expect.stringMatching(/^`pull-request-comment`: nothing was published on GitHub: the job could not be read/u),
      expect.stringMatching(/^`commit-status`: nothing was published/u),
    ]);
    const alone = { ...both, commitStatus: undefined };
    expect(await warningsOf({ ...job, repository: undefined }, { wanted: alone })).toEqual([
      expect.stringContaining('GITHUB_REPOSITORY'),
    ]);
    expect(await warningsOf(job, { wanted: { ...alone, githubToken: undefined } })).toEqual([
      expect.stringContaining('`github-token` is empty or malformed'),
    ]);
  });
});
