import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import { describeError, errorCode, Failure, toAbortError } from '../runtime/failure.ts';
import { createBodyStream } from './body-stream.ts';
import { Connections } from './connections.ts';
import {
  type HttpRequest,
  type HttpResponse,
  maximumAnswerBytes,
  type Transport,
  TransportError,
  type TransportProblem,
} from './transport.ts';

/**
 * The transport that uses undici, and the proxies of the environment.
 *
 * @throws UserError if HTTP_PROXY or HTTPS_PROXY is not a valid proxy URL
 */
export function createTransport(environment: EnvironmentVariables): Transport {
  const connections = new Connections(environment);
  return {
    async send(request, signal) {
      signal.throwIfAborted();
      const dispatcher = await connections.acquire(request.url);
      try {
        return await exchange(dispatcher, request, signal);
      } catch (error) {
        if (error instanceof TransportError && error.problem === 'timeout' && !error.mayHaveReached)
          connections.renew();
        throw error;
      } finally {
        connections.release();
      }
    },
    async preload(url) {
      await connections.acquire(url);
    },
    close: () => connections.close(),
  };
}

function exchange(dispatcher: Dispatcher, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(createAbortError(signal, 'nothing'));
      return;
    }
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: HttpResponse['headers'] = {};
    const chunks: Buffer[] = [];
    let size = 0;

    const settle = (finish: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      body.discard();
      finish();
    };
    // How much of the request was written when it failed.
    const progress = (): Progress => {
      if (controller === undefined) return 'nothing';
      return body.isHandedOver() ? 'maybe all' : 'a part';
    };
    const onAbort = (): void => {
      const reason = createAbortError(signal, progress());
      controller?.abort(reason);
      settle(() => {
        reject(reason);
      });
    };
    const body = openBody(request);
    signal.addEventListener('abort', onAbort, { once: true });

    dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: { ...request.headers, ...bodyHeaders(request) },
        body: body.content ?? null,
        // The caller sets all deadlines, for connecting as well.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        // Called once connected, before the request is written.
        onRequestStart(started) {
          controller = started;
          if (signal.aborted) started.abort(createAbortError(signal, 'nothing'));
        },
        onResponseStart(_controller, statusCode, answered) {
          status = statusCode;
          headers = flatten(answered);
        },
        onResponseData(started, chunk) {
          size += chunk.length;
          chunks.push(chunk);
          if (size > maximumAnswerBytes) {
            started.abort(
              new TransportError('malformed', true, `the answer is larger than ${maximumAnswerBytes} bytes`),
            );
          }
        },
        onResponseEnd() {
          settle(() => {
            resolve(toAnswer(status, headers, Buffer.concat(chunks, size), request.isBinary ? 'latin1' : 'utf8'));
          });
        },
        onResponseError(_controller, error) {
          const sent = progress();
          settle(() => {
            reject(signal.aborted ? createAbortError(signal, sent) : toFailure(error, sent));
          });
        },
      },
    );
  });
}

/** The whole answer, decoded if it is compressed. */
async function toAnswer(
  status: number,
  headers: HttpResponse['headers'],
  body: Buffer,
  encoding: BufferEncoding,
): Promise<HttpResponse> {
  const { 'content-encoding': contentEncoding } = headers;
  if (contentEncoding === undefined) return { status, headers, text: body.toString(encoding) };
  const { decodeBody } = await import('./content-encoding.ts');
  const decoded = await decodeBody(status, contentEncoding, body);
  return { status, headers, text: decoded.toString(encoding) };
}

/** How much of a request was certainly written to a connection. */
type Progress = 'nothing' | 'a part' | 'maybe all';

interface OpenBody {
  /** What undici takes; undefined if the request has no body. */
  readonly content: string | Uint8Array | Readable | undefined;
  /** Whether undici has received the whole body. How much of it undici has written is unknown. */
  isHandedOver(): boolean;
  /** Closes the body when it is no longer read. A late error of its file does not end the process. */
  discard(): void;
}

function openBody({ body }: HttpRequest): OpenBody {
  if (body === undefined) return wholeBody(undefined);
  const opened = body.open();
  if (typeof opened === 'string' || opened instanceof Uint8Array) return wholeBody(opened);
  let bytes = 0;
  const content = createBodyStream(opened, (more) => {
    bytes += more;
  });
  return {
    content,
    isHandedOver: () => bytes >= body.length,
    discard() {
      content.on('error', () => undefined);
      content.destroy();
    },
  };
}

/** A body that is passed to undici in one piece. */
function wholeBody(content: string | Uint8Array | undefined): OpenBody {
  return { content, isHandedOver: () => true, discard: () => undefined };
}

function bodyHeaders(request: HttpRequest): Record<string, string> {
  if (request.body === undefined) return {};
  return { 'content-type': request.body.contentType, 'content-length': String(request.body.length) };
}

function flatten(headers: IncomingHttpHeaders): HttpResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Why the signal was aborted. A request that was not sent whole by its deadline cannot have been carried out. */
function createAbortError(signal: AbortSignal, sent: Progress): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof TransportError && sent !== 'maybe all') {
    return new TransportError(reason.problem, false, reason.message, { sentInPart: sent === 'a part' });
  }
  return toAbortError(reason);
}

function toFailure(error: Error, sent: Progress): Error {
  // An error of the body itself, such as a file that changed, is not a network error.
  if (error instanceof TransportError || error instanceof Failure) return error;
  // undici's errors have a code, except those of its parser, which have a name only.
  const problem = classifyError(errorCode(error) ?? error.name, sent);
  const isUnsent = problem === 'unreachable' || sent === 'nothing';
  const sentInPart = !isUnsent && sent === 'a part';
  return new TransportError(problem, !isUnsent && !sentInPart, describeError(error), { cause: error, sentInPart });
}

function classifyError(code: string, sent: Progress): TransportProblem {
  // undici's code for a proxy that requires a password (407); nothing was forwarded.
  if (code === 'UND_ERR_INVALID_ARG') return 'unreachable';
  if (malformed.has(code) || code.startsWith('HPE_')) return 'malformed';
  if (sent !== 'nothing') return 'interrupted';
  return untrusted.test(code) ? 'untrusted' : 'unreachable';
}

const malformed: ReadonlySet<string> = new Set(['HTTPParserError', 'UND_ERR_RESPONSE', 'UND_ERR_HEADERS_OVERFLOW']);

// OpenSSL's verification codes as Node names them, the failures of the handshake itself, and undici's for a name that
// the certificate behind a proxy does not have.
const untrusted =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$|UND_ERR_PRX_TLS$)/u;
