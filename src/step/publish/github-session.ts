import { connectSources } from '../../evidence/commit/commit-sources.ts';
import { judgedCommit } from '../../evidence/commit/judged-commit.ts';
import { locateCommit } from '../../evidence/commit/locate-commit.ts';
import { connectGitHubApi, type GitHubApi } from '../../evidence/github/github-api.ts';
import type { Job } from '../../evidence/job.ts';
import type { Transport } from '../../http/transport.ts';
import type { Dependencies, EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { PublicationSettings } from '../run/common-inputs.ts';
import type { StepIdentity } from '../run/step-identity.ts';
import { startTimeLimit } from './time-limit.ts';

export interface PublishContext extends Dependencies {
  readonly environment: EnvironmentVariables;
  /** Undefined if the job could not be read. */
  readonly job: Job | undefined;
  readonly identity: StepIdentity;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  readonly transport: Transport;
  readonly cancelled: AbortSignal;
}

/** Access to GitHub for the time of one publication. */
export interface GitHubSession {
  readonly job: Job;
  readonly api: GitHubApi;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
  /** The commit to publish for; rejects if it could not be determined. */
  readonly sha: Promise<string>;
}

/** The timeout of one request to GitHub, in milliseconds. */
const requestTimeout = 10_000;

/** Calls `use` with access to GitHub within the time limit, or with a sentence that says why there is none. */
export async function withGitHub(
  settings: PublicationSettings,
  context: PublishContext,
  use: (session: GitHubSession | string) => Promise<void>,
): Promise<void> {
  const { job, cancelled, clock } = context;
  const { githubToken: token } = settings;
  if (job?.repository === undefined || token === undefined) {
    await use(whyUnavailable(job, token));
    return;
  }
  const { signal, stop } = startTimeLimit(cancelled, clock);
  const { apiUrl, repository } = job;
  const access = { ...context, apiUrl, token, repository, signal, timeout: requestTimeout };
  const sha = locate(settings, job, context, signal);
  // Avoids an unhandled rejection if no publication awaits it.
  sha.catch(() => undefined);
  try {
    await use({ job, api: connectGitHubApi(access), signal, sha });
  } finally {
    stop();
  }
}

function whyUnavailable(job: Job | undefined, token: string | undefined): string {
  if (job === undefined) return 'the job could not be read; see the error.';
  if (token === undefined) return '`github-token` is empty or malformed. Remove it or set it to `${{ github.token }}`.';
  return 'GITHUB_REPOSITORY does not name a repository. GitHub sets it; make sure that no step changes it.';
}

async function locate(
  { commitSha, githubToken }: PublicationSettings,
  job: Job,
  context: PublishContext,
  signal: AbortSignal,
): Promise<string> {
  const sources = connectSources({ ...context, job, githubToken, signal });
  return (await locateCommit(judgedCommit(job, commitSha), job.workspace, sources)).sha;
}
