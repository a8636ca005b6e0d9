import { connect, type Socket } from 'node:net';

/** The organization that the hostile requests are for. */
export const hostileOrg = 'acme';

/** A request, with a body as `fetch` takes it. */
interface HostileRequest {
  /** Relative to the base address. */
  readonly path: string;
  readonly method: string;
  readonly body: string | FormData;
  readonly contentType?: string;
}

/** A request whose body is serialized already, so that sending it takes almost no time. */
export interface BuiltRequest extends Omit<HostileRequest, 'body'> {
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Sends a request and returns its status, or why the connection failed. */
export type Send = (request: HostileRequest | BuiltRequest) => Promise<number | string>;

const mebi = 1024 * 1024;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const schema = '_schema: https://example.com/v1\n';

function json(method: string, path: string, body: string): HostileRequest {
  return { path, method, body, contentType: 'application/json' };
}

function attestation(userData: string): HostileRequest {
  const results = '{"project":{"key":"web"},"qualityGate":{"status":"OK","conditions":[]}}';
  const body = new FormData();
  body.set('data_json', `{"attestation_name":"sonar","sonar_results":${results},"user_data":{${userData}}}`);
  return { path: `/attestations/${hostileOrg}/web/trail/main/sonar`, method: 'POST', body };
}

function policy(name: string, content: string): HostileRequest {
  const body = new FormData();
  body.set('payload', JSON.stringify({ name }));
  body.set('policy_file.0', new Blob([content]), 'policy.yaml');
  return { path: `/policies/${hostileOrg}`, method: 'PUT', body };
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
export function buildHostileRequests(): Promise<readonly BuiltRequest[]> {
  const requests = kinds.flatMap(([count, make]) => numbers(count).map(make));
  return Promise.all(requests.map(build));
}

/** Serializes the body, as `fetch` would while it sends it. */
async function build({ path, method, body, contentType }: HostileRequest): Promise<BuiltRequest> {
  const whole = new Response(body);
  const type = contentType ?? whole.headers.get('content-type') ?? '';
  return { path, method, contentType: type, body: new Uint8Array(await whole.arrayBuffer()) };
}

/** Sends requests to a service. */
export function createSend(baseUrl: string, key: string): Send {
  return async ({ path, method, body, contentType }) => {
    const headers = { authorization: `Bearer ${key}`, ...(contentType && { 'content-type': contentType }) };
    try {
      const answer = await fetch(baseUrl + path, { method, body, headers });
      await answer.arrayBuffer();
      return answer.status;
    } catch (error) {
      return error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
    }
  };
}

/** A request that creates another flow, which must succeed on a healthy service. */
export function flowRequest(name: string): BuiltRequest | HostileRequest {
  return json('PUT', `/flows/${hostileOrg}`, JSON.stringify({ name, description: '', template: [] }));
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
  const requests = [
    flowRequest('web'),
    json('PUT', `/environments/${hostileOrg}`, '{"name":"prod","type":"K8S"}'),
    policy('slow', slow),
    json('POST', `/environments/${hostileOrg}/prod/policies`, '{"policy_names":["slow"]}'),
    ...numbers(7).map(() => attestation(`"large":"${'x'.repeat(mebi - 4096)}"`)),
  ];
  for (const request of requests) {
    const status = await send(request);
    if (status !== 201) throw new Error(`${request.method} ${request.path} was answered ${status}`);
  }
}

/** Requests a large page and never reads it. The caller must destroy the socket. */
export function askWithoutReading(baseUrl: string, key: string): Socket {
  const { hostname, port, pathname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.pause();
  const head = `GET ${pathname}/attestations/${hostileOrg}/web?per_page=7 HTTP/1.1`;
  socket.write(`${head}\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}
