import { Agent as PlainAgent, request as requestPlain, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../runtime/clock.ts';
import { StorageError } from '../storage-error.ts';
import { ConnectionError } from './s3-faults.ts';

/** A signed request. */
export interface SignedRequest {
  readonly method: 'GET' | 'PUT';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The content, with the length in `headers`; undefined for none. */
  readonly body: AsyncIterable<Buffer> | Iterable<Buffer> | undefined;
}

/** An answer whose body has not been read yet. */
export interface Answer {
  readonly status: number;
  /** Throws ConnectionError if the connection is lost. */
  readonly body: AsyncIterable<Buffer>;
}

/** In milliseconds. */
export interface TimeLimits {
  /** Until there is a connection, TLS included. */
  readonly connect: number;
  /** How long nothing of the request is sent and nothing of the answer arrives. */
  readonly silence: number;
}

/** Requests are sent in pieces of at most this size, in bytes. Each piece that is sent is progress. */
const pieceBytes = 64 * 1024;

/** The maximum length of a text. The rest is not read. */
const maximumTextBytes = 16 * 1024;

/** Reuses connections: one agent for each protocol. */
export class Connections {
  // Servers close idle connections after some seconds; the service closes them first. In milliseconds.
  readonly #options = { keepAlive: true, maxFreeSockets: 16, timeout: 5000 };
  readonly #plain = new PlainAgent(this.#options);
  readonly #secure = new SecureAgent(this.#options);

  /** Begins a request. Redirects are not followed. */
  open({ method, url, headers }: SignedRequest, signal: AbortSignal): ClientRequest {
    const options = { method, headers, signal };
    return url.protocol === 'https:'
      ? requestSecure(url, { ...options, agent: this.#secure })
      : requestPlain(url, { ...options, agent: this.#plain });
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

/** The dependencies of an exchange. */
interface ExchangeDependencies {
  readonly connections: Connections;
  readonly clock: Clock;
  /** Ends the exchange before its time limits do. */
  readonly signal: AbortSignal;
}

/**
 * Sends one request, and passes the answer to `use`. The answer can be read only until `use` resolves.
 *
 * @throws ConnectionError if there is no complete answer in time; the errors of `use` and of the body, unchanged.
 */
export async function exchange<Result>(
  { connections, clock, signal }: ExchangeDependencies,
  request: SignedRequest,
  limits: TimeLimits,
  use: (answer: Answer) => Promise<Result>,
): Promise<Result> {
  const name = `${request.method} ${request.url.pathname}`;
  const own = new AbortController();
  const limit = (milliseconds: number, what: string): (() => void) =>
    clock.after(milliseconds, () => {
      own.abort(new Error(`${what} ${milliseconds / 1000} s`));
    });
  const ended = AbortSignal.any([signal, own.signal]);
  const sent = connections.open(request, ended);
  const silence = startSilenceTimer(() => limit(limits.silence, 'no progress for'));
  const { progress } = silence;
  // The error of Node.js after an abort does not contain the reason.
  const toConnectionError = (error: unknown): unknown =>
    error instanceof StorageError ? error : new ConnectionError(name, ended.aborted ? ended.reason : error);
  const cancelConnect = limit(limits.connect, 'no connection within');
  try {
    onConnected(sent, cancelConnect);
    const response = await send(sent, request.body, progress).catch((error: unknown) => {
      throw toConnectionError(error);
    });
    progress();
    try {
      return await use({ status: response.statusCode ?? 0, body: readBody(response, progress, toConnectionError) });
    } finally {
      if (!response.readableEnded) response.destroy();
    }
  } finally {
    // An answer that comes before the whole body was sent is an error; the rest of the body is not needed.
    if (!sent.writableFinished) sent.destroy();
    cancelConnect();
    silence.stop();
  }
}

/** A timer that starts again whenever there is progress, until it is stopped. */
function startSilenceTimer(start: () => () => void): { readonly progress: () => void; readonly stop: () => void } {
  let cancel: (() => void) | undefined = start();
  return {
    progress: () => {
      if (cancel === undefined) return;
      cancel();
      cancel = start();
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}

function onConnected(sent: ClientRequest, listener: () => void): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) listener();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', listener);
  });
}

/** Resolves with the answer; it may come before the whole body was sent. Rejects with the error of the body, too. */
function send(sent: ClientRequest, body: SignedRequest['body'], progress: () => void): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve).on('error', reject);
    if (body === undefined) {
      sent.end();
      return;
    }
    sent.once('finish', progress);
    pipeline(Readable.from(toPieces(body, progress), { objectMode: false }), sent).catch(reject);
  });
}

/** Divides content into pieces. The next piece is asked for when there is room for it, so that is progress. */
async function* toPieces(body: AsyncIterable<Buffer> | Iterable<Buffer>, progress: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      progress();
      yield chunk.subarray(start, start + pieceBytes);
    }
  }
}

async function* readBody(
  response: IncomingMessage,
  progress: () => void,
  toConnectionError: (error: unknown) => unknown,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      progress();
      yield chunk;
    }
  } catch (error) {
    throw toConnectionError(error);
  }
}

/** Reads the text of an answer to its end, or its first 16 KiB. */
export async function readText(body: Answer['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maximumTextBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
