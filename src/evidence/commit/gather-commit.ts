import type { GitCommitInfo } from '../../contract/commit.ts';
import { ExternalError, type Failure, UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { type Job, repositoryUrl } from '../job.ts';
import { type BranchHint, probableBranch } from './branch.ts';
import { type CommitFacts, firstBytes } from './commit-facts.ts';
import type { RedactableField } from './commit-redaction.ts';
import type { CommitSources } from './commit-sources.ts';
import { branchesWithCommit, readCommitFromGit } from './git-commit.ts';
import { judgedCommit } from './judged-commit.ts';
import { locateCommit, type LocatedCommit } from './locate-commit.ts';
import { readCommitFromPayload } from './payload-commit.ts';
import { describeMisses, externalMiss, noToken, type SourceMiss, type SourceResult } from './source-result.ts';

/** The commit to describe, and which fields to withhold. */
export interface CommitRequest {
  readonly job: Job;
  /** The input `commit-sha`; without it the event decides. */
  readonly commitSha?: string | undefined;
  /** The input `redact-commit-info`. */
  readonly redact?: readonly RedactableField[];
  readonly log: Log;
}

/** A commit in the form that the service accepts, with a date that only this action uses. */
export interface CommitEvidence {
  /** Without the redacted fields, which are optional (interface, `git_commit_info`; observed on the wire). */
  readonly info: GitCommitInfo;
  /** The committer date, in Unix seconds: the commit did not exist before. Undefined if the source does not have it. */
  readonly committedAt: number | undefined;
}

/**
 * Finds the commit that the job is about, and describes it from the first source that has all its data: the repository
 * in the workspace, the event's payload, GitHub's API.
 *
 * @throws UserError if the event has no commit, or if no source that is set up describes it; ExternalError if GitHub's
 * API failed. Both say which sources were tried.
 */
export async function gatherCommitEvidence(request: CommitRequest, sources: CommitSources): Promise<CommitEvidence> {
  const { job, commitSha, redact = [], log } = request;
  const commit = await locateCommit(judgedCommit(job, commitSha), job.workspace, sources);
  const { facts, source } = await readFromFirstSource(commit, job, sources, log);
  log.info(`Commit ${facts.sha} is ${commit.meaning}; described by ${source}.`);
  const shows = (field: RedactableField): boolean => !redact.includes(field);
  const branch = shows('branch') ? await findBranch(commit.branch, { facts, source }, job, sources) : undefined;
  const repository = repositoryUrl(job);
  const timestamp = chooseTimestamp(facts, log);
  const info: GitCommitInfo = {
    sha1: facts.sha,
    ...(shows('author') ? { author: cutText('author', facts.author, maximumAuthorBytes, log) } : {}),
    ...(branch === undefined ? {} : { branch }),
    ...(shows('message') ? { message: cutText('message', facts.message, maximumMessageBytes, log) } : {}),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(repository === undefined ? {} : { url: `${repository}/commit/${facts.sha}` }),
  };
  return { info, committedAt: facts.committerTimestamp };
}

/**
 * The maximum size of a recorded message and author, in bytes. A service accepts a document of 1 MiB, in which one byte
 * can take six (`\\u0001`), and which also contains the user data.
 */
const maximumMessageBytes = 64 * 1024;
const maximumAuthorBytes = 1024;

/** Limits a text to `maximumBytes`, and appends a mark if it was cut. */
function cutText(what: string, text: string, maximumBytes: number, log: Log): string {
  const beginning = firstBytes(text, maximumBytes);
  if (beginning.length === text.length) return text;
  log.info(`The commit's ${what} is longer than ${maximumBytes} bytes; the rest is not recorded.`);
  return `${beginning} [cut after ${maximumBytes} bytes]`;
}

/** The date to record for a commit, in Unix seconds: the author date, else the committer date. */
function chooseTimestamp({ timestamp, committerTimestamp }: CommitFacts, log: Log): number | undefined {
  if (timestamp !== undefined) return timestamp;
  log.info(
    committerTimestamp === undefined
      ? 'The commit has no valid date; it is recorded without one.'
      : 'The commit has no valid author date; its committer date is recorded.',
  );
  return committerTimestamp;
}

const gitSource = 'git in the workspace';
const eventSource = "the event's payload";
const githubSource = "GitHub's API";

interface DescribedCommit {
  readonly facts: CommitFacts;
  readonly source: string;
}

async function readFromFirstSource(
  commit: LocatedCommit,
  job: Job,
  { git, github }: CommitSources,
  log: Log,
): Promise<DescribedCommit> {
  const readers: readonly (readonly [string, () => SourceResult<CommitFacts> | Promise<SourceResult<CommitFacts>>])[] =
    [
      [gitSource, () => readCommitFromGit(git, job.workspace, commit.sha)],
      [eventSource, () => readCommitFromPayload(job.event, commit.sha)],
      [githubSource, async () => requireSameCommit(await github?.commit(commit.sha), commit.sha)],
    ];
  const misses: Record<string, SourceMiss> = {};
  for (const [source, read] of readers) {
    const answer = await read();
    if ('found' in answer) return { facts: answer.found, source };
    log.debug(`Commit ${commit.sha}: ${source}: ${answer.miss.what}`);
    if (source === gitSource && answer.miss.kind === 'external')
      log.warning(`${answer.miss.what}. ${answer.miss.remedy}`);
    misses[source] = answer.miss;
  }
  throw createNotDescribedError(commit, misses);
}

function requireSameCommit(answer: SourceResult<CommitFacts> | undefined, sha: string): SourceResult<CommitFacts> {
  if (answer === undefined) return noToken('contents: read');
  if ('miss' in answer || answer.found.sha === sha) return answer;
  return externalMiss(`it answered with another commit, ${answer.found.sha}`, 'Run the job again.');
}

/** Asks git only if the event names no branch (a tag, or a commit given as `commit-sha`) and git has the commit. */
async function findBranch(
  hint: BranchHint,
  { facts, source }: DescribedCommit,
  job: Job,
  { git }: CommitSources,
): Promise<string | undefined> {
  if (hint.named !== undefined) return hint.named;
  const containing = source === gitSource ? await branchesWithCommit(git, job.workspace, facts.sha) : [];
  return probableBranch(hint, containing);
}

function createNotDescribedError(commit: LocatedCommit, misses: Readonly<Record<string, SourceMiss>>): Failure {
  const all = Object.values(misses);
  const what = `No source describes the commit ${commit.sha} (${commit.meaning}). ${describeMisses(misses)}`;
  const external = all.filter(({ kind }) => kind === 'external');
  // If GitHub's API failed, only its remedy is shown: the other sources need not work, so the setup is fine.
  const remedies = (external.length === 0 ? all : external).map(({ remedy }) => remedy);
  const text = { what, remedy: [...new Set(remedies)].join(' ') };
  return external.length === 0 ? new UserError(text) : new ExternalError(text);
}
