import { connect } from 'node:net';
import { githubEvents, sampleGate } from '../../test/support/github-gate.ts';
import { signWebhook } from '../../test/support/github-webhooks.ts';
import { createSigningKey, signToken, startIdentityProvider } from '../../tools/identity-provider.ts';

/** The organization that floods the service. */
export const floodingOrg = 'acme';

/** A request to the service, as `fetch` takes it. */
export interface FloodRequest {
  /** Relative to the root of the service. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
}

/** Sends a request with the key of the flooding organization. Returns the status. */
export type Ask = (request: FloodRequest) => Promise<number>;

/** A flooding tenant. */
export interface Tenant {
  /** The root of the service, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly ask: Ask;
}

/** A load that one tenant, or a stranger, puts on the service. */
export interface Flood {
  readonly name: string;
  /** How many requests are sent at the same time. */
  readonly connections: number;
  /** Prepares the organization. Returns a function that sends one request; `turn` counts them. */
  prepare(tenant: Tenant): Promise<(turn: number) => Promise<unknown>>;
}

const mebi = 1024 * 1024;
const api = '/api/v2';
const schema = '_schema: https://example.com/v1\n';
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const digestOf = (index: number): string => index.toString(16).padStart(64, '0');

function json(method: string, path: string, document: unknown): FloodRequest {
  const body = typeof document === 'string' ? document : JSON.stringify(document);
  return { path: api + path, method, body, headers: { 'content-type': 'application/json' } };
}

function multipart(method: string, path: string, parts: Readonly<Record<string, string | Blob>>): FloodRequest {
  const body = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') body.set(name, value);
    else body.set(name, value, name);
  }
  return { path: api + path, method, body };
}

const createFlow = json('PUT', `/flows/${floodingOrg}`, { name: 'web', description: '', template: [] });
const createEnvironment = json('PUT', `/environments/${floodingOrg}`, { name: 'prod', type: 'K8S', description: '' });

function attestation(userData: string, file?: Blob): FloodRequest {
  const results = '{"project":{"key":"web"},"qualityGate":{"status":"OK","conditions":[]}}';
  return multipart('POST', `/attestations/${floodingOrg}/web/trail/main/sonar`, {
    data_json: `{"attestation_name":"sonar","sonar_results":${results},"user_data":{${userData}}}`,
    ...(file && { 'attachment_file.0': file }),
  });
}

function savePolicy(name: string, content: string): FloodRequest {
  const parts = { payload: JSON.stringify({ name }), 'policy_file.0': new Blob([content]) };
  return multipart('PUT', `/policies/${floodingOrg}`, parts);
}

const artifact = json('POST', `/artifacts/${floodingOrg}/web`, {
  ...{ fingerprint: digestOf(1), filename: 'web', trail_name: 'main', git_commit: 'a'.repeat(40) },
  ...{ build_url: 'https://ci.example.com/1', commit_url: 'https://git.example.com/1' },
});

/** A report of images whose names have this length. Reports of different turns differ in all images. */
function report(turn: number, count: number, nameLength: number): FloodRequest {
  const artifacts = numbers(count).map((index) => ({
    ...{ podName: `pod-${index}`, namespace: 'prod', creationTimestamp: 1 },
    digests: { [`${turn}-${index}-`.padEnd(nameLength, 'x')]: digestOf(turn * count + index) },
  }));
  return json('PUT', `/environments/${floodingOrg}/prod/report/K8S`, { artifacts });
}

/** @throws Error if one of the requests is rejected */
async function prepareWith({ ask }: Tenant, requests: readonly FloodRequest[]): Promise<void> {
  for (const request of requests) {
    const status = await ask(request);
    if (status >= 300) throw new Error(`${request.method ?? 'GET'} ${request.path} was answered ${status}`);
  }
}

/** A flood of requests that only differ by their turn. */
function flood(
  name: string,
  connections: number,
  prepared: readonly FloodRequest[],
  make: (turn: number) => FloodRequest,
): Flood {
  return {
    ...{ name, connections },
    prepare: async (tenant) => {
      await prepareWith(tenant, prepared);
      return (turn) => tenant.ask(make(turn));
    },
  };
}

const connectGate = json('PUT', `/organizations/${floodingOrg}/github-gates/shop`, sampleGate);

/** An event of GitHub. */
function event(body: string | Uint8Array<ArrayBuffer>, signature = signWebhook(body)): FloodRequest {
  const headers = {
    ...{ 'content-type': 'application/json', authorization: '' },
    ...{ 'x-github-event': 'pull_request', 'x-hub-signature-256': signature },
  };
  return { path: '/-/github/webhooks', method: 'POST', headers, body };
}

const policies = numbers(20).map((index) => `policy-${index}`);
const attachPolicies = json('POST', `/environments/${floodingOrg}/prod/policies`, { policy_names: policies });
const listedPolicy = `${schema}artifacts:\n  provenance:\n    required: true\n`;
const largePolicy = `${schema}# ${'x'.repeat(9 * mebi)}\n`;
const targets = numbers(20).map((index) => ({
  ...{ type: 'WEBHOOK', webhook: `https://hooks.example.invalid/${index}`, payload_version: '1.0' },
}));

/** The loads that used to delay others for seconds, or to end the process. */
export const floods: readonly Flood[] = [
  flood('wrong keys', 64, [], () => ({
    path: `${api}/flows/${floodingOrg}`,
    headers: { authorization: `Bearer 0123456789abcdef_${'w'.repeat(43)}` },
  })),
  flood('uploads of 10 MB', 16, [createFlow], () => attestation('', new Blob([new Uint8Array(10 * mebi)]))),
  flood('JSON of 100,000 values', 16, [createFlow], () => attestation(`"a":[0${',0'.repeat(99_000)}]`)),
  flood('documents of 1 MiB', 16, [createFlow], () => attestation(`"a":"${'x'.repeat(mebi - 4096)}"`)),
  flood(
    'reports of 16 MB with 20 policies',
    8,
    [createEnvironment, ...policies.map((name) => savePolicy(name, listedPolicy)), attachPolicies],
    (turn) => report(turn, 4000, 4000),
  ),
  flood(
    'judging 2,000 images',
    16,
    [createEnvironment, ...policies.map((name) => savePolicy(name, listedPolicy)), attachPolicies],
    (turn) => report(turn, 2000, 40),
  ),
  flood('policies of 9 MB and their page', 16, [savePolicy('large', largePolicy)], (turn) =>
    turn % 4 === 0 ? savePolicy('large', `${largePolicy}# ${turn}\n`) : { path: `/${floodingOrg}/policies/large` },
  ),
  flood('pages of a report of 16 MB', 24, [createEnvironment, report(0, 4000, 4000)], (turn) => ({
    path: `/${floodingOrg}/environments/prod${turn % 2 === 0 ? '' : '/snapshots/1'}`,
  })),
  flood(
    'notifications × 2,000',
    8,
    [
      createEnvironment,
      ...numbers(100).map((index) =>
        json('POST', `/organizations/${floodingOrg}/environments_notifications`, {
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
    [
      createFlow,
      createEnvironment,
      ...policies.map((name) => savePolicy(name, listedPolicy)),
      attachPolicies,
      artifact,
    ],
    () => ({
      path: `${api}/asserts/${floodingOrg}/fingerprint/${digestOf(1)}?environment_name=prod`,
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
    [createFlow, ...numbers(100).map((index) => attestation(`"a":"${index}"`, new Blob([new Uint8Array(mebi)])))],
    () => ({ path: `${api}/flows/${floodingOrg}/web/audit-package` }),
  ),
  { name: 'slow readers', connections: 64, prepare: prepareSlowReaders },
];

async function prepareLogins(tenant: Tenant): Promise<(turn: number) => Promise<unknown>> {
  const key = await createSigningKey('one');
  const { issuer } = await startIdentityProvider(key);
  const flows = numbers(100).map((index) => `flow-${index}-`.padEnd(200, 'x'));
  const rules = numbers(20).map((index) =>
    json('PUT', `/organizations/${floodingOrg}/login-rules/rule-${index}`, {
      ...{ issuer, repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'] },
      ...{ role: 'member', flows },
    }),
  );
  await prepareWith(tenant, rules);
  return async () => {
    const token = await signToken(key, { iss: issuer, aud: tenant.url });
    const authorization = `Bearer ${token}`;
    return tenant.ask({ path: `${api}/login/${floodingOrg}`, method: 'POST', headers: { authorization } });
  };
}

/** Clients that ask for a large page, and never read the answer. */
async function prepareSlowReaders(tenant: Tenant): Promise<(turn: number) => Promise<unknown>> {
  const large = attestation(`"large":"${'x'.repeat(mebi - 4096)}"`);
  await prepareWith(tenant, [createFlow, ...numbers(7).map(() => large)]);
  const { hostname, port } = new URL(tenant.url);
  return () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.pause();
      socket.write(
        `GET ${api}/attestations/${floodingOrg}/web?per_page=7 HTTP/1.1\r\nhost: x\r\n` +
          `authorization: Bearer ${tenant.key}\r\n\r\n`,
      );
      setTimeout(() => {
        socket.destroy();
        resolve();
      }, 2000);
    });
}
