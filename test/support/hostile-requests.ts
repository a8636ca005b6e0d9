import { connect, type Socket } from 'node:net';
import { policyForm } from './environment-samples.ts';
import { attestationForm } from './service-samples.ts';

/** The organization that the hostile requests are for. */
export const hostileOrg = 'acme';

/** A request as `fetch` takes it. */
export interface HostileRequest {
  /** Relative to the root of the service. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>;
}

/** Sends a request with the key of the organization. Returns the status, or why the connection failed. */
export type Send = (request: HostileRequest) => Promise<number | string>;

export const mebi = 1024 * 1024;
export const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
export const schema = '_schema: https://example.com/v1\n';

/** @param path below the base address of the interface */
export function json(method: string, path: string, document: unknown): HostileRequest {
  const body = typeof document === 'string' ? document : JSON.stringify(document);
  return { path: `/api/v2${path}`, method, body, headers: { 'content-type': 'application/json' } };
}

export function attestation(userData: string, file?: { readonly content: Uint8Array<ArrayBuffer> }): HostileRequest {
  const results = '{"project":{"key":"web"},"qualityGate":{"status":"OK","conditions":[]}}';
  const document = `{"attestation_name":"sonar","sonar_results":${results},"user_data":{${userData}}}`;
  const path = `/api/v2/attestations/${hostileOrg}/web/trail/main/sonar`;
  return { path, method: 'POST', body: attestationForm(document, file) };
}

export function policy(name: string, content: string): HostileRequest {
  return { path: `/api/v2/policies/${hostileOrg}`, method: 'PUT', body: policyForm({ name }, { content }) };
}

function report(pods: string): HostileRequest {
  return json('PUT', `/environments/${hostileOrg}/prod/report/K8S`, `{"artifacts":[${pods}]}`);
}

function reportOfImages(count: number, name: string): HostileRequest {
  const pods = numbers(count).map((index) => {
    const digests = { [`${name}-${index}`]: index.toString(16).padEnd(64, '0') };
    return JSON.stringify({ podName: 'a', namespace: 'b', creationTimestamp: 1, digests });
  });
  return report(pods.join());
}

function manyKeys(): string {
  return numbers(45_000)
    .map((index) => `"k${index}":{}`)
    .join();
}

const deepList = (): string => `"a":${'['.repeat(58)}0${',0'.repeat(500_000)}${']'.repeat(58)}`;

/** Requests that once took all of the memory or delayed all others, and how many of each are sent at once. */
const kinds: readonly (readonly [count: number, make: (turn: number) => HostileRequest])[] = [
  [6, () => attestation(deepList())],
  [6, () => attestation(`"a":[{}${',{}'.repeat(330_000)}]`)],
  [4, () => attestation(manyKeys())],
  [6, () => policy('hostile', `${schema}a: [${'1,'.repeat(5 * mebi - 100)}]`)],
  [4, () => policy('hostile', '---\n'.repeat(2.5 * mebi))],
  [4, () => policy('hostile', `x: &x [1]\ny: [${'*x,'.repeat(3 * mebi)}]`)],
  [6, () => report(`{}${',{}'.repeat(340_000)}`)],
  [7, (turn) => reportOfImages(900, `${'a'.repeat(900)}${turn}`)],
  [7, (turn) => reportOfImages(4000, `i${turn}`)],
];

/** Fifty requests that are meant to be sent at once. */
export function buildHostileRequests(): Promise<readonly HostileRequest[]> {
  const requests = kinds.flatMap(([count, make]) => numbers(count).map(make));
  return Promise.all(requests.map(build));
}

/** Serializes the body, as `fetch` would while it sends it, so that sending it takes almost no time. */
async function build({ path, method = 'GET', headers, body }: HostileRequest): Promise<HostileRequest> {
  const whole = new Response(body ?? null);
  const type = whole.headers.get('content-type') ?? '';
  return {
    path,
    method,
    headers: { 'content-type': type, ...headers },
    body: new Uint8Array(await whole.arrayBuffer()),
  };
}

/** @param url the root of the service, without a slash at its end */
export function createSend(url: string, key: string): Send {
  return async ({ path, headers, ...request }) => {
    try {
      const answer = await fetch(url + path, { ...request, headers: { authorization: `Bearer ${key}`, ...headers } });
      await answer.arrayBuffer();
      return answer.status;
    } catch (error) {
      return error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
    }
  };
}

/** @throws Error if one of the requests is rejected */
export async function sendAll(send: Send, requests: readonly HostileRequest[]): Promise<void> {
  for (const request of requests) {
    const status = await send(request);
    if (typeof status === 'string' || status >= 300)
      throw new Error(`${request.method ?? 'GET'} ${request.path} was answered ${status}`);
  }
}

/** A request that creates another flow, which must succeed on a healthy service. */
export function flowRequest(name: string): HostileRequest {
  return json('PUT', `/flows/${hostileOrg}`, { name, description: '', template: [] });
}

/**
 * Creates what the hostile requests need: a flow with large attestations, and an environment with a policy with slow
 * patterns.
 *
 * @throws Error if one of them is rejected
 */
export async function prepareHostileLoad(send: Send): Promise<void> {
  const exceptions = numbers(20).map((index) => `      - if: \${{ matches(artifact.name, "(a|b){1,40}c${index}") }}\n`);
  const slow = `${schema}artifacts:\n  provenance:\n    required: true\n    exceptions:\n${exceptions.join('')}`;
  await sendAll(send, [
    flowRequest('web'),
    json('PUT', `/environments/${hostileOrg}`, '{"name":"prod","type":"K8S"}'),
    policy('slow', slow),
    json('POST', `/environments/${hostileOrg}/prod/policies`, '{"policy_names":["slow"]}'),
    ...largeAttestations,
  ]);
}

/** A page of them is larger than all buffers of a connection. */
export const largeAttestations = numbers(7).map(() => attestation(`"large":"${'x'.repeat(mebi - 4096)}"`));

/** Requests a large page and never reads it. The caller must destroy the socket. */
export function askWithoutReading(url: string, key: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.pause();
  const head = `GET /api/v2/attestations/${hostileOrg}/web?per_page=7 HTTP/1.1`;
  socket.write(`${head}\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}
