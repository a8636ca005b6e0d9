import { findPullRequest, pullRequestFromEvent } from '../../evidence/github/event-pull-request.ts';
import type { GitHubRefusal } from '../../evidence/github/github-refusal.ts';
import { findRunRestriction } from '../../evidence/github/run-restriction.ts';
import { runUrl } from '../../evidence/job.ts';
import { Failure } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import type { PublicationSettings } from '../run/common-inputs.ts';
import { decideFailure } from '../run/gate.ts';
import type { StepResult } from '../run/step-result.ts';
import { commentBody } from './comment-body.ts';
import { commentMarker, commentOrigin } from './comment-marker.ts';
import { type CommitMatch, describeOtherCommits, matchCommit } from './commit-match.ts';
import { pendingStatus, setStatus, toCommitStatus } from './commit-status.ts';
import { type GitHubSession, type PublishContext, withGitHub } from './github-session.ts';
import { joinSentences, type Publication, publicationWarning } from './publication-warning.ts';
import { writeComment } from './pull-request-comment.ts';

/**
 * Publishes a redacted result as a pull request comment and a commit status, as the settings say. Failures become
 * warnings with a remedy and never change the verdict. A dry run writes no comment.
 */
export async function publishResult(
  result: StepResult,
  settings: PublicationSettings,
  context: PublishContext,
): Promise<void> {
  const { log } = context;
  const isCommentLeftOut = settings.dryRun === true && settings.pullRequestComment === true;
  if (isCommentLeftOut) log.info(`\`${comment.input}\`: not written, because this is a dry run.`);
  const all = publications({ ...settings, ...(isCommentLeftOut && { pullRequestComment: false }) }, result, context);
  if (all.length === 0) return;
  await withGitHub(settings, context, async (session) => {
    if (typeof session === 'string') {
      for (const { input } of all) log.warning(`\`${input}\`: nothing was published on GitHub: ${session}`);
    } else await Promise.all(all.map((publication) => runPublication(publication, session, log)));
  });
}

/**
 * Sets the commit status to pending before the step waits for a verdict, so that the status of an earlier run does not
 * allow a merge meanwhile. Failures are only logged, because the final status will warn of them.
 */
export async function publishPending(settings: PublicationSettings, context: PublishContext): Promise<void> {
  const { commitStatus: name } = settings;
  const { log } = context;
  if (name === undefined || settings.dryRun === true) return;
  await withGitHub(settings, context, async (session) => {
    if (typeof session === 'string') return;
    const { job, api } = session;
    try {
      const target = { sha: await session.sha, context: name };
      const answer = await setStatus(pendingStatus(runUrl(job)), target, api);
      log.info(
        'refusal' in answer
          ? `The commit status ${name} was not set to pending: GitHub's API: ${answer.refusal.what}`
          : `The commit status ${name} is pending until there is a verdict.`,
      );
    } catch (thrown) {
      log.info(`The commit status ${name} was not set to pending: ${decideFailure(thrown).conclusion}`);
    }
  });
}

interface WantedPublication extends Publication {
  readonly run: (session: GitHubSession) => Promise<void>;
}

function publications(
  { pullRequestComment, commitStatus }: PublicationSettings,
  result: StepResult,
  context: PublishContext,
): readonly WantedPublication[] {
  const commentRun = (session: GitHubSession): Promise<void> => commentOnPullRequest(result, session, context);
  const statusRun = (name: string) => (session: GitHubSession) => setCommitStatus(name, result, session, context.log);
  return [
    ...(pullRequestComment === true ? [{ ...comment, run: commentRun }] : []),
    ...(commitStatus === undefined ? [] : [{ ...status, run: statusRun(commitStatus) }]),
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

async function runPublication(
  { input, what, run }: WantedPublication,
  session: GitHubSession,
  log: Log,
): Promise<void> {
  try {
    await run(session);
  } catch (caught) {
    const thrown: unknown = session.signal.aborted ? session.signal.reason : caught;
    const { conclusion, remedy = '' } = decideFailure(thrown);
    const why = thrown instanceof Failure ? conclusion : `a defect in compliance-action: ${conclusion}`;
    log.warning(joinSentences(`\`${input}\`: ${what}: ${why}`, remedy, 'The verdict is not affected'));
    log.debug(thrown instanceof Error ? (thrown.stack ?? '') : '');
  }
}

interface Refused {
  readonly publication: Publication;
  readonly refusal: GitHubRefusal;
  readonly result: StepResult;
}

/** Warns of a refusal; only logs it if a fork's step was skipped for lack of a key: no permission is expected. */
function warnOfRefusal({ publication, refusal, result }: Refused, { job }: GitHubSession, log: Log): void {
  const line = publicationWarning(publication, refusal, job);
  const expected = result.decision.outcome === 'skipped' && findRunRestriction(job) === 'fork';
  if (expected && refusal.reason === 'permission') log.info(line);
  else log.warning(line);
}

async function commentOnPullRequest(
  result: StepResult,
  session: GitHubSession,
  { identity, redact, log }: PublishContext,
): Promise<void> {
  const { job, api } = session;
  const about = pullRequestFromEvent(job);
  const found = 'head' in about ? await findPullRequest(about.head, api) : about;
  if ('none' in found) {
    // Not a warning, because a workflow may run on both pushes and pull requests.
    log.info(`\`${comment.input}\`: ${found.none}, so no comment was written.`);
    return;
  }
  if ('refusal' in found) {
    warnOfRefusal({ publication: comment, refusal: found.refusal, result }, session, log);
    return;
  }
  const sha = await session.sha.catch(() => undefined);
  const commit = sha === undefined ? undefined : matchCommit(sha, result, job);
  if (commit !== undefined) warnOfOtherCommit(comment, commit, log);
  const origin = commentOrigin(job, sha);
  const marker = commentMarker(identity, job, redact);
  const body = commentBody(result, { marker, origin, job, commit });
  const written = await writeComment({ number: found.number, marker, origin, body }, api);
  if ('refusal' in written) {
    warnOfRefusal({ publication: comment, refusal: written.refusal, result }, session, log);
  } else if (written.done === 'kept') {
    log.info(`The comment on pull request ${found.number} was left unchanged: a newer run has judged another commit.`);
  } else {
    log.info(
      `The comment on pull request ${found.number} was ${written.done}${written.url === undefined ? '' : `: ${written.url}`}`,
    );
  }
}

async function setCommitStatus(name: string, result: StepResult, session: GitHubSession, log: Log): Promise<void> {
  const { job, api } = session;
  const commit = matchCommit(await session.sha, result, job);
  warnOfOtherCommit(status, commit, log);
  const set = toCommitStatus(result, commit);
  const answer = await setStatus(set, { sha: commit.sha, context: name }, api);
  if ('refusal' in answer) warnOfRefusal({ publication: status, refusal: answer.refusal, result }, session, log);
  else log.info(`The commit status ${name} of ${commit.sha} is ${set.state}.`);
}

function warnOfOtherCommit({ input }: Publication, commit: CommitMatch, log: Log): void {
  const other = describeOtherCommits(commit);
  if (other === undefined) return;
  const what = `\`${input}\`: ${other}, not for ${commit.sha}`;
  log.warning(
    joinSentences(what, 'Judge an artifact built from this commit, or set `commit-sha` to the intended commit'),
  );
}
