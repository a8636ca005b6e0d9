import { createHash } from 'node:crypto';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import {
  idempotencyKeyHeader,
  keysAcceptedHeader,
  parseIdempotencyKey,
  replayedHeader,
  withoutFields,
} from '../../src/contract/idempotency.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';
import { jsonAnswer } from './answering-transport.ts';
import { collectBody } from './collect-bytes.ts';

/** A request that was carried out. */
interface Remembered {
  readonly digest: string;
  readonly answer: HttpResponse;
}

/** A stand-in for a service that honours idempotency keys: adds them to a transport whose service does not. */
export function keyingTransport(inner: Transport): Transport {
  const remembered = new Map<string, Remembered>();
  const running = new Set<string>();

  async function carryOut(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const header = request.headers[idempotencyKeyHeader];
    if (header === undefined) return inner.send(request, signal);
    const key = parseIdempotencyKey(header);
    if (key === undefined) return jsonAnswer(400, { message: 'Malformed Idempotency-Key' });
    const { endpoint, parameters } = endpointOf(request);
    const scope = JSON.stringify([parameters['org'], endpoint.title, key]);
    const digest = await contentDigest(request, endpoint, parameters);
    const earlier = remembered.get(scope);
    if (earlier !== undefined) {
      if (earlier.digest !== digest) return jsonAnswer(422, { message: 'The key was used for another request' });
      return { ...earlier.answer, headers: { ...earlier.answer.headers, [replayedHeader]: 'true' } };
    }
    if (running.has(scope)) return jsonAnswer(409, { message: 'Still running' }, { 'retry-after': '1' });
    running.add(scope);
    try {
      const answer = await inner.send(request, signal);
      if (answer.status < 300) remembered.set(scope, { digest, answer });
      return answer;
    } finally {
      running.delete(scope);
    }
  }

  return {
    async send(request, signal) {
      const answer = await carryOut(request, signal);
      return { ...answer, headers: { ...answer.headers, [keysAcceptedHeader]: '?1' } };
    },
    preload: (url) => inner.preload(url),
    close: () => inner.close(),
  };
}

/** A service that ignores idempotency keys, whatever is behind it. */
export function keylessTransport(inner: Transport): Transport {
  return {
    async send(request, signal) {
      const answer = await inner.send({ ...request, headers: without(request.headers, idempotencyKeyHeader) }, signal);
      return { ...answer, headers: without(without(answer.headers, keysAcceptedHeader), replayedHeader) };
    },
    preload: (url) => inner.preload(url),
    close: () => inner.close(),
  };
}

function without(headers: HttpResponse['headers'], name: string): HttpResponse['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

interface Target {
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
}

function endpointOf({ method, url }: HttpRequest): Target {
  const path = url.pathname.replace(/^.*\/api\/v2/u, '');
  for (const endpoint of endpoints) {
    const pattern = endpoint.path.replaceAll(/\{(\w+)\}/gu, '(?<$1>[^/]+)');
    const match = method === endpoint.method ? new RegExp(`^${pattern}$`, 'u').exec(path) : null;
    if (match !== null) return { endpoint, parameters: { ...match.groups } };
  }
  throw new Error(`no endpoint for ${method} ${path}`);
}

/** The digest of what two requests with the same key must have in common. */
async function contentDigest(
  { url, body }: HttpRequest,
  { repetition, body: declared }: Endpoint,
  parameters: Target['parameters'],
): Promise<string> {
  const bytes = body === undefined ? undefined : await collectBody(body.open());
  const query = Object.fromEntries(url.searchParams);
  const volatile = repetition.effect === 'appends' ? repetition.volatile : [];
  if (bytes === undefined || declared.kind !== 'multipart') {
    const document: unknown = bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
    return sha256(JSON.stringify([parameters, query, withoutFields(document, volatile)]));
  }
  const parts = parseParts(bytes, body?.contentType ?? '');
  const document: unknown = JSON.parse(Buffer.from(parts.get(declared.json.part)?.content ?? '', 'latin1').toString());
  const file = parts.get(`${declared.file.part}.0`) ?? parts.get(declared.file.part);
  const sent = file === undefined ? undefined : [file.filename, sha256(file.content)];
  return sha256(JSON.stringify([parameters, query, withoutFields(document, volatile), sent]));
}

interface Part {
  readonly filename: string | undefined;
  /** Each byte as one character. */
  readonly content: string;
}

/** The parts of a multipart body by name. */
function parseParts(body: Buffer, contentType: string): ReadonlyMap<string, Part> {
  const boundary = contentType.split('boundary=')[1] ?? '';
  const texts = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1);
  return new Map(
    texts.map((text) => {
      const end = text.indexOf('\r\n\r\n');
      const header = text.slice(0, end);
      const [, name = ''] = /[; ]name="([^"]*)"/u.exec(header) ?? [];
      const [, filename] = /filename="([^"]*)"/u.exec(header) ?? [];
      return [name, { filename, content: text.slice(end + 4) }];
    }),
  );
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
