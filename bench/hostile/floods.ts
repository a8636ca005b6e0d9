import { setTimeout as sleep } from 'node:timers/promises';
import { githubEvents, sampleGate } from '../../test/support/github-gate.ts';
import { signWebhook } from '../../test/support/github-webhooks.ts';
import {
  askWithoutReading,
  attestation,
  flowRequest,
  hostileOrg,
  type HostileRequest,
  json,
  largeAttestations,
  mebi,
  numbers,
  policy,
  schema,
  type Send,
  sendAll,
} from '../../test/support/hostile-requests.ts';
import { createSigningKey, signToken, startIdentityProvider } from '../../tools/identity-provider.ts';

/** A flooding tenant. */
export interface Tenant {
  /** The root of the service, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly send: Send;
}

/** A load that one tenant, or a stranger, puts on the service. */
export interface Flood {
  readonly name: string;
  /** How many requests are sent at the same time. */
  readonly connections: number;
  /** Prepares the organization. Returns a function that sends one request; `turn` counts them. */
  prepare(tenant: Tenant): Promise<(turn: number) => Promise<unknown>>;
}

const api = '/api/v2';
const digestOf = (index: number): string => index.toString(16).padStart(64, '0');

const createFlow = flowRequest('web');
const createEnvironment = json('PUT', `/environments/${hostileOrg}`, { name: 'prod', type: 'K8S', description: '' });

const artifact = json('POST', `/artifacts/${hostileOrg}/web`, {
  ...{ fingerprint: digestOf(1), filename: 'web', trail_name: 'main', git_commit: 'a'.repeat(40) },
  ...{ build_url: 'https://ci.example.com/1', commit_url: 'https://git.example.com/1' },
});

/** A report of images whose names have this length. Reports of different turns differ in all images. */
function report(turn: number, count: number, nameLength: number): HostileRequest {
  const artifacts = numbers(count).map((index) => ({
    ...{ podName: `pod-${index}`, namespace: 'prod', creationTimestamp: 1 },
    digests: { [`${turn}-${index}-`.padEnd(nameLength, 'x')]: digestOf(turn * count + index) },
  }));
  return json('PUT', `/environments/${hostileOrg}/prod/report/K8S`, { artifacts });
}

/** A flood of requests that only differ by their turn. */
function flood(
  name: string,
  connections: number,
  prepared: readonly HostileRequest[],
  make: (turn: number) => HostileRequest,
): Flood {
  return {
    ...{ name, connections },
    prepare: async (tenant) => {
      await sendAll(tenant.send, prepared);
      return (turn) => tenant.send(make(turn));
    },
  };
}

const connectGate = json('PUT', `/organizations/${hostileOrg}/github-gates/shop`, sampleGate);

/** An event of GitHub. */
function event(body: string | Uint8Array<ArrayBuffer>, signature = signWebhook(body)): HostileRequest {
  const headers = {
    ...{ 'content-type': 'application/json', authorization: '' },
    ...{ 'x-github-event': 'pull_request', 'x-hub-signature-256': signature },
  };
  return { path: '/-/github/webhooks', method: 'POST', headers, body };
}

const policies = numbers(20).map((index) => `policy-${index}`);
const attachPolicies = json('POST', `/environments/${hostileOrg}/prod/policies`, { policy_names: policies });
const listedPolicy = `${schema}artifacts:\n  provenance:\n    required: true\n`;
const largePolicy = `${schema}# ${'x'.repeat(9 * mebi)}\n`;
const targets = numbers(20).map((index) => ({
  ...{ type: 'WEBHOOK', webhook: `https://hooks.example.invalid/${index}`, payload_version: '1.0' },
}));

/** The loads that used to delay others for seconds, or to end the process. */
export const floods: readonly Flood[] = [
  flood('wrong keys', 64, [], () => ({
    path: `${api}/flows/${hostileOrg}`,
    headers: { authorization: `Bearer 0123456789abcdef_${'w'.repeat(43)}` },
  })),
  flood('uploads of 10 MB', 16, [createFlow], () => attestation('', { content: new Uint8Array(10 * mebi) })),
  flood('JSON of 100,000 values', 16, [createFlow], () => attestation(`"a":[0${',0'.repeat(99_000)}]`)),
  flood('documents of 1 MiB', 16, [createFlow], () => attestation(`"a":"${'x'.repeat(mebi - 4096)}"`)),
  flood(
    'reports of 16 MB with 20 policies',
    8,
    [createEnvironment, ...policies.map((name) => policy(name, listedPolicy)), attachPolicies],
    (turn) => report(turn, 4000, 4000),
  ),
  flood(
    'judging 2,000 images',
    16,
    [createEnvironment, ...policies.map((name) => policy(name, listedPolicy)), attachPolicies],
    (turn) => report(turn, 2000, 40),
  ),
  flood('policies of 9 MB and their page', 16, [policy('large', largePolicy)], (turn) =>
    turn % 4 === 0 ? policy('large', `${largePolicy}# ${turn}\n`) : { path: `/${hostileOrg}/policies/large` },
  ),
  flood('pages of a report of 16 MB', 24, [createEnvironment, report(0, 4000, 4000)], (turn) => ({
    path: `/${hostileOrg}/environments/prod${turn % 2 === 0 ? '' : '/snapshots/1'}`,
  })),
  flood(
    'notifications × 2,000',
    8,
    [
      createEnvironment,
      ...numbers(100).map((index) =>
        json('POST', `/organizations/${hostileOrg}/environments_notifications`, {
          ...{ name: `all-${index}`, environments: ['prod'], targets },
          triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
        }),
      ),
    ],
    (turn) => report(turn, 10, 20),
  ),
  flood(
    'assertions',
    32,
    [createFlow, createEnvironment, ...policies.map((name) => policy(name, listedPolicy)), attachPolicies, artifact],
    () => ({
      path: `${api}/asserts/${hostileOrg}/fingerprint/${digestOf(1)}?environment_name=prod`,
    }),
  ),
  { name: 'logins with large rules', connections: 16, prepare: prepareLogins },
  flood('the OpenAPI document', 64, [], () => ({ path: `${api}/openapi.json`, headers: { authorization: '' } })),
  flood('events of GitHub', 32, [createFlow, connectGate], (turn) => {
    const sha = turn.toString(16).padStart(40, '0');
    return event(JSON.stringify({ ...githubEvents.pullRequest(sha), padding: 'x'.repeat(20_000) }));
  }),
  flood('events of 25 MB that nobody signed', 16, [], () => event(new Uint8Array(25 * mebi), 'sha256=0')),
  flood(
    'audit packages',
    16,
    [createFlow, ...numbers(100).map((index) => attestation(`"a":"${index}"`, { content: new Uint8Array(mebi) }))],
    () => ({ path: `${api}/flows/${hostileOrg}/web/audit-package` }),
  ),
  flood(
    'large lists of attestations',
    16,
    [
      createFlow,
      ...numbers(7).map((index) => attestation(`"a":[${index}${`,{"key":"${'x'.repeat(16)}"}`.repeat(30_000)}]`)),
    ],
    () => ({ path: `${api}/attestations/${hostileOrg}/web?per_page=7` }),
  ),
  { name: 'slow readers', connections: 64, prepare: prepareSlowReaders },
];

async function prepareLogins(tenant: Tenant): Promise<(turn: number) => Promise<unknown>> {
  const key = await createSigningKey('one');
  const { issuer } = await startIdentityProvider(key);
  const flows = numbers(100).map((index) => `flow-${index}-`.padEnd(200, 'x'));
  const rules = numbers(20).map((index) =>
    json('PUT', `/organizations/${hostileOrg}/login-rules/rule-${index}`, {
      ...{ issuer, repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'] },
      ...{ role: 'member', flows },
    }),
  );
  await sendAll(tenant.send, rules);
  return async () => {
    const token = await signToken(key, { iss: issuer, aud: tenant.url });
    const authorization = `Bearer ${token}`;
    return tenant.send({ path: `${api}/login/${hostileOrg}`, method: 'POST', headers: { authorization } });
  };
}

/** Clients that ask for a large page, and never read the answer. */
async function prepareSlowReaders(tenant: Tenant): Promise<(turn: number) => Promise<unknown>> {
  await sendAll(tenant.send, [createFlow, ...largeAttestations]);
  return async () => {
    const socket = askWithoutReading(tenant.url, tenant.key);
    await sleep(2000);
    socket.destroy();
  };
}
