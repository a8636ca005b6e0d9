import { judgedCommit } from '../../evidence/commit/judged-commit.ts';
import { locateCommit } from '../../evidence/commit/locate-commit.ts';
import { connectGitHubApi, type GitHubApi } from '../../evidence/github/github-api.ts';
import type { Job, RepositoryName } from '../../evidence/job.ts';
import type { Transport } from '../../http/exchange.ts';
import type { Dependencies, EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { StepIdentity } from '../run/step-identity.ts';
import type { PublicationSettings } from '../run/step-inputs.ts';
import { startTimeLimit } from './time-limit.ts';
import { connectSources } from '../../evidence/commit/commit-sources.ts';

/** What publishing works with. */
export interface PublishContext extends Dependencies {
  /** The variables of the process, for git. */
  readonly environment: EnvironmentVariables;
  /** Undefined where the job could not be read. */
  readonly job: Job | undefined;
  readonly identity: StepIdentity;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly transport: Transport;
  /** Aborted when the job is cancelled. */
  readonly cancelled: AbortSignal;
}

/** GitHub, as a step publishes there. */
export interface GitHubSession {
  readonly job: Job;
  readonly repository: RepositoryName;
  readonly api: GitHubApi;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
  /** The commit that is told of. */
  readonly sha: Promise<string>;
}

/** The most that one question to GitHub may take, in milliseconds. */
const longestQuestion = 10_000;

/** Lets something be done on GitHub within the time that there is; a text instead says what is missing for that. */
export async function withGitHub(
  settings: PublicationSettings,
  context: PublishContext,
  use: (session: GitHubSession | string) => Promise<void>,
): Promise<void> {
  const { job, cancelled, clock, transport, random, log } = context;
  const { githubToken: token } = settings;
  if (job?.repository === undefined || token === undefined) {
    await use(whatIsMissing(job, token));
    return;
  }
  const { signal, stop } = startTimeLimit(cancelled, clock);
  const access = { apiUrl: job.apiUrl, token, transport, log, clock, random, signal, timeout: longestQuestion };
  const sha = locate(settings, job, context, signal);
  // Who needs the commit says why it is not known; and perhaps nobody needs it.
  sha.catch(() => undefined);
  try {
    await use({ job, repository: job.repository, api: connectGitHubApi(access), signal, sha });
  } finally {
    stop();
  }
}

function whatIsMissing(job: Job | undefined, token: string | undefined): string {
  if (job === undefined) return 'the job does not say what it is about, see the error.';
  if (token === undefined) return '`github-token` is empty. Leave it out, or give it `${{ github.token }}`.';
  return 'GITHUB_REPOSITORY does not name the repository. GitHub sets it: let no step change it.';
}

async function locate(
  { commitSha, githubToken }: PublicationSettings,
  job: Job,
  { environment, clock, log, transport }: PublishContext,
  signal: AbortSignal,
): Promise<string> {
  const sources = connectSources({ job, environment, githubToken, log, clock, transport, signal });
  return (await locateCommit(judgedCommit(job, commitSha), job.workspace, sources)).sha;
}
