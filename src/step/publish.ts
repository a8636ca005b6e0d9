import { judgedCommit } from '../evidence/commit/judged-commit.ts';
import { locateCommit } from '../evidence/commit/locate-commit.ts';
import { connectSources } from '../evidence/commit/sources.ts';
import { connectGitHubApi, type GitHubApi } from '../evidence/github/github-api.ts';
import type { Job, RepositoryName } from '../evidence/job.ts';
import type { Transport } from '../http/exchange.ts';
import { createTransport } from '../http/transport.ts';
import type { Clock } from '../runtime/clock.ts';
import { describeError, Failure } from '../runtime/failure.ts';
import type { Log } from '../runtime/log.ts';
import type { Environment } from '../runtime/world.ts';
import { commentBody } from './comment-body.ts';
import { commentMarker, tellingOf } from './comment-marker.ts';
import { setStatus, statusOf } from './commit-status.ts';
import type { Desk, Ending } from './conclude.ts';
import type { PublicationInputs } from './publication-inputs.ts';
import { untold, type Publication } from './publication-warning.ts';
import { writeComment } from './pull-request-comment.ts';
import { findPullRequest, pullRequestOf } from './pull-request.ts';

/** What it takes to show an ending beside its run. */
export interface Publisher {
  readonly environment: Environment;
  /** Undefined where the job could not be read. */
  readonly job: Job | undefined;
  readonly desk: Desk;
  /** Aborted when the job is cancelled. */
  readonly cancelled: AbortSignal;
  readonly clock: Clock;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
}

/** The most that all of it may take, in milliseconds. */
const longest = 30_000;

/** … in a job that is cancelled: GitHub ends its processes 7.5 seconds after it asked them to end. */
const longestWhenCancelled = 5_000;

/** The most that one question to GitHub may take, in milliseconds. */
const longestQuestion = 10_000;

/**
 * Shows an ending, which holds no secrets any more, as a comment on the pull request and as a commit status, where that is wanted. What goes wrong is a warning
 * with its remedy, and never changes the verdict.
 */
export async function publish(ending: Ending, wanted: PublicationInputs, publisher: Publisher): Promise<void> {
  const { environment, job, cancelled, clock, desk } = publisher;
  const { log } = desk.runner;
  const { githubToken } = wanted;
  if (job?.repository === undefined || githubToken === undefined) {
    const why = whatIsMissing(job, githubToken);
    for (const { input } of publications(wanted)) log.warning(`\`${input}\`: nothing was told to GitHub: ${why}`);
    return;
  }
  const transport = createTransport(environment);
  const limit = new AbortController();
  const allowed = cancelled.aborted ? longestWhenCancelled : longest;
  const callOff = clock.after(allowed, () => {
    limit.abort(new Error(`GitHub did not answer within ${allowed / 1000} seconds`));
  });
  const signal = cancelled.aborted ? limit.signal : AbortSignal.any([limit.signal, cancelled]);
  const access = { apiUrl: job.apiUrl, token: githubToken, transport, log, clock, random: publisher.random, signal };
  const work: Work = {
    ending,
    publisher,
    log,
    job,
    repository: job.repository,
    api: connectGitHubApi({ ...access, timeout: longestQuestion }),
    commit: locate(wanted, job, publisher, { transport, signal }),
  };
  // Who needs the commit says why it is not known; and perhaps nobody needs it.
  work.commit.catch(() => undefined);
  try {
    await Promise.all(publications(wanted).map((publication) => told(publication, work)));
  } finally {
    callOff();
    await transport.close();
  }
}

/** What both ways of telling work with. */
interface Work {
  readonly ending: Ending;
  readonly publisher: Publisher;
  readonly log: Log;
  readonly job: Job;
  readonly repository: RepositoryName;
  readonly api: GitHubApi;
  /** The SHA of the judged commit. */
  readonly commit: Promise<string>;
}

interface WantedPublication extends Publication {
  readonly run: (work: Work) => Promise<void>;
}

function publications({ pullRequestComment, commitStatus }: PublicationInputs): readonly WantedPublication[] {
  return [
    ...(pullRequestComment === true ? [{ ...comment, run: tellPullRequest }] : []),
    ...(commitStatus === undefined ? [] : [{ ...status, run: (work: Work) => tellCommit(commitStatus, work) }]),
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

async function told(publication: WantedPublication, work: Work): Promise<void> {
  try {
    await publication.run(work);
  } catch (thrown) {
    const { log } = work;
    const { input, what } = publication;
    const remedy = thrown instanceof Failure ? ` ${thrown.remedy}` : '';
    log.warning(`\`${input}\`: ${what}: ${describeError(thrown)}${remedy} The verdict stands all the same.`);
    log.debug(thrown instanceof Error ? (thrown.stack ?? '') : '');
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
  { environment, clock, desk }: Publisher,
  way: { readonly transport: Transport; readonly signal: AbortSignal },
): Promise<string> {
  const sources = connectSources({ job, environment, githubToken, log: desk.runner.log, clock, ...way });
  return (await locateCommit(judgedCommit(job, commitSha), job.workspace, sources)).sha;
}

async function tellPullRequest({ ending, publisher, log, job, repository, api, commit }: Work): Promise<void> {
  const about = pullRequestOf(job);
  const found = 'head' in about ? await findPullRequest(about.head, api, repository) : about;
  if ('none' in found) {
    // A workflow that runs on pushes and on pull requests is nothing to be warned of.
    log.info(`\`${comment.input}\`: ${found.none}, so there is no comment.`);
    return;
  }
  if ('refusal' in found) {
    log.warning(untold(comment, found.refusal, job));
    return;
  }
  const { environment, desk } = publisher;
  const { redact } = desk.secrets;
  const telling = tellingOf(environment, job, await commit.catch(() => undefined));
  const marker = commentMarker(environment, job, redact);
  const body = commentBody(ending, { marker, telling, job });
  const written = await writeComment({ repository, number: found.number, marker, telling, body }, api);
  if ('refusal' in written) log.warning(untold(comment, written.refusal, job));
  else if (written.done === 'kept') {
    log.info(`The comment on pull request ${found.number} was kept: a newer run has judged another commit.`);
  } else {
    log.info(
      `The comment on pull request ${found.number} was ${written.done}${written.url === undefined ? '' : `: ${written.url}`}`,
    );
  }
}

async function tellCommit(context: string, { ending, log, job, repository, api, commit }: Work): Promise<void> {
  const sha = await commit;
  const set = statusOf(ending);
  const answer = await setStatus(set, { repository, sha, context }, api);
  if ('refusal' in answer) log.warning(untold(status, answer.refusal, job));
  else log.info(`The commit status ${context} of ${sha} is ${set.state}.`);
}
