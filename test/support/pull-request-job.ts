import type { ActionRun } from '../../tools/run-action.ts';
import type { ActionJob, StepOptions } from './action-job.ts';
import { pullRequestEvent, shas } from './events.ts';
import { type FakeGitHub, type GitHubSettings, startGitHub } from './fake-github.ts';
import { type GitHubRepository, githubRepository, type RepositorySettings } from './fake-github-repository.ts';

/** The input `github-token` of the steps. */
export const githubToken = 'ghs_0123456789abcdef';

/** A job of a pull request, with a fake of GitHub's API. */
export interface PullRequestJob {
  readonly github: FakeGitHub;
  readonly repository: GitHubRepository;
  /** Runs a step on `pull_request`. The default run id is 4242. */
  step(
    inputs: Readonly<Record<string, string>>,
    variables?: Readonly<Record<string, string | undefined>>,
    options?: Pick<StepOptions, 'event' | 'kill'>,
  ): Promise<ActionRun>;
  close(): Promise<void>;
}

/** Opens pull request 12 for the steps of a job. The caller must close it; the job stays open. */
export async function openPullRequest(
  job: Omit<ActionJob, 'close'>,
  { fault, ...settings }: RepositorySettings & Pick<GitHubSettings, 'fault'> = {},
): Promise<PullRequestJob> {
  const repository = githubRepository(settings);
  const github = await startGitHub({}, { repository, ...(fault === undefined ? {} : { fault }) });
  return {
    github,
    repository,
    step: (inputs, variables = {}, options = {}) =>
      job.step(
        { 'github-token': githubToken, ...inputs },
        {
          variables: {
            GITHUB_API_URL: github.url,
            GITHUB_EVENT_NAME: 'pull_request',
            GITHUB_REF: 'refs/pull/12/merge',
            GITHUB_REF_NAME: '12/merge',
            GITHUB_REF_TYPE: undefined,
            GITHUB_HEAD_REF: 'feature/lid',
            GITHUB_BASE_REF: 'main',
            GITHUB_SHA: shas.merge,
            GITHUB_ACTION: 'gate',
            ...variables,
          },
          event: pullRequestEvent(),
          ...options,
        },
      ),
    close: () => github.close(),
  };
}
