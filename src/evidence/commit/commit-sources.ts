import type { Transport } from '../../http/transport.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { Log } from '../../runtime/log.ts';
import { createGitRunner, type GitRunner } from '../git/git-runner.ts';
import { connectGitHubApi } from '../github/github-api.ts';
import type { Job } from '../job.ts';
import { createGitHubCommits, type GitHubCommits } from './github-commit.ts';

export interface CommitSources {
  readonly git: GitRunner;
  /** GitHub's API; undefined if the step has no token or no repository. */
  readonly github: GitHubCommits | undefined;
}

export interface SourceAccess {
  readonly job: Job;
  readonly environment: EnvironmentVariables;
  /** The input `github-token`; without it, GitHub's API is not used. */
  readonly githubToken: string | undefined;
  readonly transport: Transport;
  readonly log: Log;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called while git runs, so that this process can do other work meanwhile. */
  readonly whileGitRuns?: () => void;
}

/** Connects git on this machine, and GitHub's API if there are a token and a repository. */
export function connectSources(access: SourceAccess): CommitSources {
  const { job, environment, githubToken: token, clock, signal, whileGitRuns } = access;
  const { apiUrl, repository } = job;
  return {
    git: createGitRunner(environment, { clock, signal, whileItRuns: whileGitRuns }),
    github:
      token === undefined || repository === undefined
        ? undefined
        : createGitHubCommits(connectGitHubApi({ ...access, apiUrl, token, repository })),
  };
}
