import { describe, expect, it } from '@jest/globals';
import type { Job } from '../../src/evidence/job.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { TroubleError } from '../../src/runtime/failure.ts';
import { Cancellation } from '../../src/step/cancellation.ts';
import { decideFailure } from '../../src/step/gate.ts';
import { publish } from '../../src/step/publish.ts';
import type { PublicationInputs } from '../../src/step/publication-inputs.ts';
import { manualClock } from '../support/clock.ts';
import { closedAfterEach } from '../support/closing.ts';
import { branchDeletionPushEvent, issueCommentEvent, pullRequestEvent, shas } from '../support/events.ts';
import { githubRepository } from '../support/github-repository.ts';
import { startGitHub, type GitHubReply, type GitHubStandIn } from '../support/github-stand-in.ts';
import { jobOf } from '../support/job.ts';
import { toldBy } from '../support/told.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const keep = closedAfterEach();
const both: PublicationInputs = { pullRequestComment: true, commitStatus: 'compliance/web', githubToken: 'hush' };
const ending = {
  decision: decideFailure(new TroubleError({ what: 'no answer', remedy: 'Try again.' })),
  runUrl: undefined,
  summary: true,
};

function prJob(apiUrl: string): Job {
  return jobOf('pull_request', pullRequestEvent(), { GITHUB_API_URL: apiUrl });
}

/** The warnings that remain of publishing. */
async function warningsOf(
  job: Job | undefined,
  {
    wanted = both,
    cancelled = new AbortController().signal,
    clock = manualClock(),
  }: { readonly wanted?: PublicationInputs; readonly cancelled?: AbortSignal; readonly clock?: Clock } = {},
): Promise<readonly string[]> {
  const { log } = await toldBy([], (desk) =>
    publish(ending, wanted, { environment: {}, job, desk, cancelled, clock, random: () => 0 }),
  );
  return commandsNamed(log, 'warning').map(({ message }) => message);
}

function silent(): Promise<GitHubStandIn> {
  return startGitHub({}, { fault: (): GitHubReply => 'never' });
}

/** Lets the test's own work go on until both questions are asked. */
async function bothAsked(server: GitHubStandIn): Promise<void> {
  while (server.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
}

describe('publishing', () => {
  it('takes no longer than one question may take where GitHub does not answer', async () => {
    const server = keep(await silent());
    const clock = manualClock();
    const warned = warningsOf(prJob(server.url), { clock });
    await bothAsked(server);
    await clock.advance(10_000);
    expect(await warned).toEqual([
      expect.stringContaining('no answer within 10 seconds'),
      expect.stringContaining('no answer within 10 seconds'),
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('still tells the end of a job that is cancelled, within five seconds', async () => {
    const cancelled = AbortSignal.abort(new Cancellation('SIGTERM'));
    const repository = githubRepository();
    const answering = keep(await startGitHub({}, { repository }));
    expect(await warningsOf(prJob(answering.url), { cancelled })).toEqual([]);
    expect(repository.comments).toHaveLength(1);
    expect(repository.statuses).toMatchObject([{ sha: shas.head, state: 'error' }]);

    const server = keep(await silent());
    const clock = manualClock();
    const warned = warningsOf(prJob(server.url), { cancelled, clock });
    await bothAsked(server);
    await clock.advance(5_000);
    expect(await warned).toEqual([
      expect.stringContaining('GitHub did not answer within 5 seconds'),
      expect.stringContaining('GitHub did not answer within 5 seconds'),
    ]);
  });

  it('ends at once when the job is cancelled meanwhile', async () => {
    const server = keep(await silent());
    const cancelled = new AbortController();
    const warned = warningsOf(prJob(server.url), { cancelled: cancelled.signal });
    await bothAsked(server);
    cancelled.abort(new Cancellation('SIGINT'));
    expect(await warned).toEqual([
      expect.stringContaining('the step was cancelled (SIGINT)'),
      expect.stringContaining('the step was cancelled (SIGINT)'),
    ]);
  });

  it('says why it is not known which commit a status belongs to', async () => {
    const server = keep(await startGitHub({}, { repository: githubRepository() }));
    const job = jobOf('push', branchDeletionPushEvent(), { GITHUB_API_URL: server.url });
    expect(await warningsOf(job)).toEqual([expect.stringMatching(/^`commit-status`: .*leaves no commit to judge/u)]);
  });

  it('asks GitHub for the head of a pull request that somebody commented on', async () => {
    const repository = githubRepository();
    const pull = { status: 200, body: { head: { sha: shas.head, ref: 'feature/lid' } } };
    const server = keep(await startGitHub({ '/repos/acme/widgets/pulls/12': pull }, { repository }));
    const job = jobOf('issue_comment', issueCommentEvent('pull request'), { GITHUB_API_URL: server.url });
    expect(await warningsOf(job)).toEqual([]);
    expect(repository.statuses).toMatchObject([{ sha: shas.head }]);
    expect(repository.comments[0]?.body).toContain(`commit=${shas.head}`);
  });

  it('writes the comment also where the commit is not known', async () => {
    const repository = githubRepository();
    const server = keep(await startGitHub({}, { repository }));
    const job = jobOf('issue_comment', issueCommentEvent('pull request'), { GITHUB_API_URL: server.url });
    expect(await warningsOf(job)).toEqual([expect.stringMatching(/^`commit-status`: .*head of pull request 12/u)]);
    expect(repository.comments[0]?.body).not.toContain('Judged commit');
  });

  it('says what it lacks', async () => {
    const job = prJob('http://127.0.0.1:9');
    expect(await warningsOf(undefined)).toEqual([
      expect.stringMatching(/^`pull-request-comment`: nothing was told to GitHub: the job does not say/u),
      expect.stringMatching(/^`commit-status`: nothing was told/u),
    ]);
    const alone = { ...both, commitStatus: undefined };
    expect(await warningsOf({ ...job, repository: undefined }, { wanted: alone })).toEqual([
      expect.stringContaining('GITHUB_REPOSITORY'),
    ]);
  });
});
