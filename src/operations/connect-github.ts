import { connectGitHubApi, type GitHubApi } from '../evidence/github/github-api.ts';
import type { OperationContext } from './operation.ts';

/** GitHub's API, for operations that need it. */
export function connectGitHub(token: string, { job, call }: Pick<OperationContext, 'job' | 'call'>): GitHubApi {
  const { transport, log, clock, random, signal } = call;
  const access = { apiUrl: job.apiUrl, token, transport, log, clock, random };
  return connectGitHubApi(signal === undefined ? access : { ...access, signal });
}
