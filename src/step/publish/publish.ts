import { judgedCommit } from '../../evidence/commit/judged-commit.ts';
import { locateCommit } from '../../evidence/commit/locate-commit.ts';
import { connectSources } from '../../evidence/commit/commit-sources.ts';
import { connectGitHubApi, type GitHubApi } from '../../evidence/github/github-api.ts';
import type { GitHubRefusal } from '../../evidence/github/github-refusal.ts';
import { restrictionOf } from '../../evidence/github/run-restriction.ts';
import { runUrl, type Job, type RepositoryName } from '../../evidence/job.ts';
import type { Transport } from '../../http/exchange.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Failure } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { commentBody } from './comment-body.ts';
import { commentMarker, tellingOf } from './comment-marker.ts';
import { pendingStatus, setStatus, statusOf } from './commit-status.ts';
import type { Desk, Ending } from '../report/report-result.ts';
import { decideFailure } from '../run/gate.ts';
import type { PublicationInputs } from '../run/step-inputs.ts';
import { limitPublication } from './time-limit.ts';
import { untold, type Publication } from './publication-warning.ts';
import { writeComment } from './pull-request-comment.ts';
import { findPullRequest, pullRequestOf } from './pull-request.ts';
import { sentences } from './sentences.ts';
import { otherCommits, toldCommit, type ToldCommit } from './commit-match.ts';

/** What it takes to show an ending beside its run. */
export interface Publisher {
  readonly environment: EnvironmentVariables;
  /** Undefined where the job could not be read. */
  readonly job: Job | undefined;
  readonly desk: Desk;
  readonly transport: Transport;
  /** Aborted when the job is cancelled. */
  readonly cancelled: AbortSignal;
  readonly clock: Clock;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
}

/** The most that one question to GitHub may take, in milliseconds. */
const longestQuestion = 10_000;

/**
 * Shows an ending, which holds no secrets any more, as a comment on the pull request and as a commit status, where that is
 * wanted. What goes wrong is a warning with its remedy, and never changes the verdict. A dry run writes nothing.
 */
export async function publish(ending: Ending, wanted: PublicationInputs, publisher: Publisher): Promise<void> {
  const all = publications(wanted, ending);
  const { log } = publisher.desk.runner;
  if (wanted.dryRun === true) {
    for (const { input } of all)
      log.info(`\`${input}\`: a dry run writes nothing to GitHub; without it, this end is shown.`);
    return;
  }
  await withGitHub(wanted, publisher, async (work) => {
    if (typeof work === 'string') {
      for (const { input } of all) log.warning(`\`${input}\`: nothing was told to GitHub: ${work}`);
    } else await Promise.all(all.map((publication) => told(publication, work)));
  });
}

/**
 * Sets the commit status to pending before a verdict is waited for, so that an older one of the commit, of a run before this
 * one, opens nothing meanwhile. What goes wrong stands in the log only: it is a warning at the end.
 */
export async function publishWaiting(wanted: PublicationInputs, publisher: Publisher): Promise<void> {
  const { commitStatus: context } = wanted;
  if (context === undefined || wanted.dryRun === true) return;
  await withGitHub(wanted, publisher, async (work) => {
    if (typeof work === 'string') return;
    const { log, job, repository, api } = work;
    try {
      const answer = await setStatus(pendingStatus(runUrl(job)), { repository, sha: await work.sha, context }, api);
      log.info(
        'refusal' in answer
          ? `The commit status ${context} was not set to pending: GitHub's API: ${answer.refusal.what}`
          : `The commit status ${context} is pending until there is a verdict.`,
      );
    } catch (thrown) {
      log.info(`The commit status ${context} was not set to pending: ${decideFailure(thrown).conclusion}`);
    }
  });
}

/** What it is done with. */
interface Work {
  readonly publisher: Publisher;
  readonly log: Log;
  readonly job: Job;
  readonly repository: RepositoryName;
  readonly api: GitHubApi;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
  /** The commit that is told of. */
  readonly sha: Promise<string>;
}

/** Lets something be done on GitHub within the time that there is; a text instead says what is missing for that. */
async function withGitHub(
  wanted: PublicationInputs,
  publisher: Publisher,
  use: (work: Work | string) => Promise<void>,
): Promise<void> {
  const { job, cancelled, clock, desk, transport, random } = publisher;
  const { log } = desk.runner;
  const { githubToken: token } = wanted;
  if (job?.repository === undefined || token === undefined) {
    await use(whatIsMissing(job, token));
    return;
  }
  const { signal, callOff } = limitPublication(cancelled, clock);
  const access = { apiUrl: job.apiUrl, token, transport, log, clock, random, signal, timeout: longestQuestion };
  const work: Work = {
    publisher,
    log,
    job,
    repository: job.repository,
    api: connectGitHubApi(access),
    signal,
    sha: locate(wanted, job, publisher, signal),
  };
  // Who needs the commit says why it is not known; and perhaps nobody needs it.
  work.sha.catch(() => undefined);
  try {
    await use(work);
  } finally {
    callOff();
  }
}

function whatIsMissing(job: Job | undefined, token: string | undefined): string {
  if (job === undefined) return 'the job does not say what it is about, see the error.';
  if (token === undefined) return '`github-token` is empty. Leave it out, or give it `${{ github.token }}`.';
  return 'GITHUB_REPOSITORY does not name the repository. GitHub sets it: let no step change it.';
}

async function locate(
  { commitSha, githubToken }: PublicationInputs,
  job: Job,
  { environment, clock, desk, transport }: Publisher,
  signal: AbortSignal,
): Promise<string> {
  const { log } = desk.runner;
  const sources = connectSources({ job, environment, githubToken, log, clock, transport, signal });
  return (await locateCommit(judgedCommit(job, commitSha), job.workspace, sources)).sha;
}

interface WantedPublication extends Publication {
  readonly run: (work: Work) => Promise<void>;
}

function publications(
  { pullRequestComment, commitStatus }: PublicationInputs,
  ending: Ending,
): readonly WantedPublication[] {
  return [
    ...(pullRequestComment === true ? [{ ...comment, run: (work: Work) => tellPullRequest(ending, work) }] : []),
    ...(commitStatus === undefined ? [] : [{ ...status, run: (work: Work) => tellCommit(commitStatus, ending, work) }]),
  ];
}

const comment: Publication = {
  input: 'pull-request-comment',
  what: 'the comment on the pull request was not written',
  permission: 'pull-requests: write',
};

const status: Publication = {
  input: 'commit-status',
  what: 'the commit status was not set',
  permission: 'statuses: write',
};

async function told({ input, what, run }: WantedPublication, work: Work): Promise<void> {
  const { log, signal } = work;
  try {
    await run(work);
  } catch (caught) {
    const thrown: unknown = signal.aborted ? signal.reason : caught;
    const { conclusion, remedy = '' } = decideFailure(thrown);
    const why = thrown instanceof Failure ? conclusion : `a defect in compliance-action: ${conclusion}`;
    log.warning(sentences(`\`${input}\`: ${what}: ${why}`, remedy, 'The verdict stands all the same'));
    log.debug(thrown instanceof Error ? (thrown.stack ?? '') : '');
  }
}

/** Says that GitHub did not take it. What a fork's run may not do is no news where its step was to be skipped. */
function refused(publication: Publication, refusal: GitHubRefusal, ending: Ending, { log, job }: Work): void {
  const line = untold(publication, refusal, job);
  const expected = ending.decision.outcome === 'skipped' && restrictionOf(job) === 'fork';
  if (expected && refusal.reason === 'permission') log.info(line);
  else log.warning(line);
}

async function tellPullRequest(ending: Ending, work: Work): Promise<void> {
  const { publisher, log, job, repository, api } = work;
  const about = pullRequestOf(job);
  const found = 'head' in about ? await findPullRequest(about.head, api, repository) : about;
  if ('none' in found) {
    // A workflow that runs on pushes and on pull requests is nothing to be warned of.
    log.info(`\`${comment.input}\`: ${found.none}, so there is no comment.`);
    return;
  }
  if ('refusal' in found) {
    refused(comment, found.refusal, ending, work);
    return;
  }
  const { environment, desk } = publisher;
  const sha = await work.sha.catch(() => undefined);
  const commit = sha === undefined ? undefined : toldCommit(sha, ending, job);
  if (commit !== undefined) warnOfOther(comment, commit, log);
  const telling = tellingOf(job, sha);
  const marker = commentMarker(environment, job, desk.secrets.redact);
  const body = commentBody(ending, { marker, telling, job, commit });
  const written = await writeComment({ repository, number: found.number, marker, telling, body }, api);
  if ('refusal' in written) refused(comment, written.refusal, ending, work);
  else if (written.done === 'kept') {
    log.info(`The comment on pull request ${found.number} was kept: a newer run has judged another commit.`);
  } else {
    log.info(
      `The comment on pull request ${found.number} was ${written.done}${written.url === undefined ? '' : `: ${written.url}`}`,
    );
  }
}

async function tellCommit(context: string, ending: Ending, work: Work): Promise<void> {
  const { log, job, repository, api } = work;
  const commit = toldCommit(await work.sha, ending, job);
  warnOfOther(status, commit, log);
  const set = statusOf(ending, commit);
  const answer = await setStatus(set, { repository, sha: commit.sha, context }, api);
  if ('refusal' in answer) refused(status, answer.refusal, ending, work);
  else log.info(`The commit status ${context} of ${commit.sha} is ${set.state}.`);
}

function warnOfOther({ input }: Publication, commit: ToldCommit, log: Log): void {
  const other = otherCommits(commit);
  if (other === undefined) return;
  const what = `\`${input}\`: ${other}, so its verdict is not that of ${commit.sha}`;
  log.warning(sentences(what, 'Judge what was built of this commit, or name the commit that is meant in `commit-sha`'));
}
