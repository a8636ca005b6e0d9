import { fakeApp } from './fake-github-app.ts';
import { commitOf } from './service-samples.ts';

/** A gate between the flow `web` and the repository `acme/web` of the fake. */
export const sampleGate = {
  installation_id: 1,
  repositories: ['123'],
  flows: ['web'],
  environments: { production: 'prod' },
} as const;

/** The commit that is checked. */
export const headCommit = commitOf('1');

const origin = { installation: { id: 1 }, repository: { id: 123, full_name: 'acme/web' } };

/** The events of GitHub, with the fields that the service reads. */
export const githubEvents = {
  pullRequest: (sha: string = headCommit) => ({
    ...{ ...origin, action: 'opened', number: 7 },
    pull_request: { head: { sha } },
  }),
  rerun: (sha: string = headCommit) => ({
    ...{ ...origin, action: 'rerequested' },
    check_run: { head_sha: sha, app: { id: fakeApp.appId } },
  }),
  deployment: (runId: number, environment = 'production') => ({
    ...{ ...origin, action: 'requested', environment, event: 'push' },
    deployment_callback_url: `https://api.github.com/repos/acme/web/actions/runs/${runId}/deployment_protection_rule`,
    deployment: { id: 5000 + runId, sha: headCommit },
  }),
} as const;
