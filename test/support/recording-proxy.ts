import { Agent, type IncomingMessage, request } from 'node:http';
import { isMapping, textAt } from '../../src/runtime/untrusted-data.ts';
import { serve } from '../../tools/loopback-server.ts';
import { findDeviation } from './openapi-conformance.ts';

/** A response that went through the proxy, and its request. */
export interface RecordedAnswer {
  readonly method: string;
  readonly path: string;
  /** The content type of the request; empty if it has no body. */
  readonly sentType: string;
  /** The body of the request. */
  readonly sent: Buffer;
  readonly status: number;
  /** The message of an error body. */
  readonly message: string | undefined;
  /** How the response deviates from the service's OpenAPI document; undefined if it does not. */
  readonly deviation: string | undefined;
}

/** A proxy that changes nothing and records all responses. */
export interface RecordingProxy {
  /**
   * A base address for one client; ends in `/api/v2`. The label consists of letters and digits, and names the client.
   */
  baseUrlFor(label: string): string;
  /** The responses to the client, in order. */
  answersTo(label: string): readonly RecordedAnswer[];
  close(): Promise<void>;
}

/** Starts a proxy for the service at this base address. The caller must close it. */
export async function startRecordingProxy(baseUrl: string): Promise<RecordingProxy> {
  // On a connection that is kept open, the service reads every request to its end, even if it has rejected it.
  const agent = new Agent({ keepAlive: true });
  const recorded = new Map<string, RecordedAnswer[]>();
  const server = await serve((received, answer) => {
    const [, label = '', path = '/'] = /^\/([^/]+)\/api\/v2(.*)$/u.exec(received.url ?? '') ?? [];
    const { method = 'GET', headers } = received;
    const sent = request(baseUrl + path, { method, headers, agent });
    const chunks: Buffer[] = [];
    received.on('data', (chunk: Buffer) => chunks.push(chunk));
    sent.on('response', (response) => {
      void bodyOf(response).then((body) => {
        const known = recorded.get(label) ?? [];
        const asked = { method, path, sentType: headers['content-type'] ?? '', sent: Buffer.concat(chunks) };
        recorded.set(label, [...known, recordOf(asked, response, body)]);
        // A connection that is closed with unread data is reset, and the reset can overtake the answer.
        received.unpipe(sent);
        received.resume();
        const headersOfAnswer = { ...response.headers };
        delete headersOfAnswer.connection;
        answer.writeHead(response.statusCode ?? 502, headersOfAnswer).end(body);
      });
    });
    sent.on('error', () => answer.destroy());
    received.pipe(sent);
  });
  return {
    baseUrlFor: (label) => `${server.url}/${label}/api/v2`,
    answersTo: (label) => recorded.get(label) ?? [],
    close: () => {
      agent.destroy();
      return server.close();
    },
  };
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function recordOf(
  asked: Pick<RecordedAnswer, 'method' | 'path' | 'sentType' | 'sent'>,
  response: IncomingMessage,
  bytes: Buffer,
): RecordedAnswer {
  const status = response.statusCode ?? 0;
  const contentType = response.headers['content-type'] ?? null;
  const body = parsed(bytes.toString('utf8'));
  const message = isMapping(body) ? textAt(body, 'message') : undefined;
  return { ...asked, status, message, deviation: findDeviation({ ...asked, status, contentType, body }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
