import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { isMapping, listAt, type Mapping, textAt } from '../../src/runtime/untrusted-data.ts';

const webhookExamples: unknown = createRequire(import.meta.url)('@octokit/webhooks-examples');

export const webhookSecret = 'a-webhook-secret-for-tests-0123456789';

/** A real payload of GitHub. */
export interface GithubExample {
  readonly name: string;
  readonly payload: Mapping;
}

/** GitHub's examples of payloads. There is none of `deployment_protection_rule`. */
export const githubExamples: readonly GithubExample[] = listAt(webhookExamples).flatMap((event) =>
  listAt(event, 'examples')
    .filter(isMapping)
    .map((payload) => ({ name: textAt(event, 'name') ?? '', payload })),
);

/** The first example of an event with this action, of this installation and repository. */
export function githubPayload(
  name: string,
  action: string,
  { installation = 1, repository = 10 }: { readonly installation?: number; readonly repository?: number } = {},
): Mapping {
  const found = githubExamples.find((one) => one.name === name && one.payload['action'] === action)?.payload;
  if (found === undefined) throw new Error(`there is no example of ${name} ${action}`);
  const own = found['repository'];
  return {
    ...found,
    installation: { id: installation },
    ...(isMapping(own) ? { repository: { ...own, id: repository } } : {}),
  };
}

/** A request for the deployment of a commit, as GitHub documents it. */
export const deploymentPayload: Mapping = {
  action: 'requested',
  environment: 'production',
  event: 'push',
  deployment_callback_url: 'https://api.github.com/repos/acme/web/actions/runs/77/deployment_protection_rule',
  deployment: { id: 5, sha: 'c'.repeat(40), ref: 'main', task: 'deploy' },
  pull_requests: [],
  repository: { id: 10, full_name: 'acme/web' },
  installation: { id: 1 },
};

/** Sends an event as GitHub does, and returns the response. */
export function sendWebhook(
  { url }: { readonly url: string },
  name: string,
  body: string,
  {
    signature = signWebhook(body),
    type = 'application/json',
  }: { readonly signature?: string | null; readonly type?: string } = {},
): Promise<Response> {
  return fetch(`${url}/-/github/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': type,
      'x-github-event': name,
      'x-github-delivery': '7a0d9c3e-0000-4000-8000-000000000000',
      ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
    },
    body,
  });
}

export function signWebhook(body: string | Uint8Array, secret = webhookSecret): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
