import type { StepSettings } from '../tools/run-action.ts';

/** What all steps of a job share. */
export type Job = Required<Pick<StepSettings, 'environment' | 'event'>>;

/** Where a job runs, and which service it talks to. */
export interface JobSettings {
  readonly baseUrl: string;
  readonly key: string;
  readonly org: string;
  readonly workspace: string;
  readonly commit: string;
}

/** The job of a push, as a step sees it. The common inputs are set as variables of the job. */
export function jobOf({ baseUrl, key, org, workspace, commit }: JobSettings): Job {
  return {
    environment: {
      COMPLIANCE_BASE_URL: baseUrl,
      COMPLIANCE_API_TOKEN: key,
      COMPLIANCE_ORG: org,
      GITHUB_ACTOR: 'bench',
      GITHUB_API_URL: 'https://api.github.com',
      GITHUB_EVENT_NAME: 'push',
      GITHUB_JOB: 'bench',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REF_NAME: 'main',
      GITHUB_REF_TYPE: 'branch',
      GITHUB_REPOSITORY: 'example/web',
      GITHUB_REPOSITORY_ID: '1',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_RUN_ID: '1',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_SHA: commit,
      GITHUB_WORKFLOW: 'bench',
      GITHUB_WORKSPACE: workspace,
    },
    event: {
      ref: 'refs/heads/main',
      after: commit,
      deleted: false,
      head_commit: null,
      commits: [],
      repository: { id: 1, name: 'web', full_name: 'example/web', default_branch: 'main' },
    },
  };
}
