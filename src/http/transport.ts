import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describeError } from '../runtime/failure.ts';
import type { Environment } from '../runtime/world.ts';
import {
  maximumAnswerBytes,
  TransportError,
  type HttpAnswer,
  type HttpRequest,
  type Transport,
  type TransportProblem,
} from './exchange.ts';
import { proxySettings } from './proxy.ts';

/**
 * The transport of the machine: undici, by way of the environment's proxies.
 *
 * @throws MistakeError where the environment names a proxy that is none.
 */
export function createTransport(environment: Environment): Transport {
  const proxies = proxySettings(environment);
  const dispatchers = new Map<string, Promise<Dispatcher>>();

  const dispatcherFor = (origin: string): Promise<Dispatcher> => {
    const key = proxies === undefined ? origin : 'proxied';
    const known = dispatchers.get(key);
    if (known !== undefined) return known;
    const opened = proxies === undefined ? openClient(origin) : openProxied(proxies);
    dispatchers.set(key, opened);
    return opened;
  };

  return {
    async send(request, signal) {
      signal.throwIfAborted();
      return exchange(await dispatcherFor(request.url.origin), request, signal);
    },
    async close() {
      const open = await Promise.all(dispatchers.values());
      dispatchers.clear();
      // Not `close`, which waits for requests that a deadline has already given up.
      await Promise.all(open.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

// Deadlines are the caller's: one for connecting, headers and body together. undici's own would cut in between.
const withoutTimeouts = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } };

async function openClient(origin: string): Promise<Dispatcher> {
  const { default: Client } = await import(/* webpackMode: "eager" */ 'undici/lib/dispatcher/client.js');
  return new Client(origin, withoutTimeouts);
}

async function openProxied(proxies: NonNullable<ReturnType<typeof proxySettings>>): Promise<Dispatcher> {
  const { default: EnvHttpProxyAgent } = await import(
    /* webpackMode: "eager" */ 'undici/lib/dispatcher/env-http-proxy-agent.js'
  );
  // Plain http is forwarded, not tunnelled: many proxies allow CONNECT to port 443 only.
  return new EnvHttpProxyAgent({ ...withoutTimeouts, ...proxies, proxyTunnel: false });
}

function exchange(dispatcher: Dispatcher, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: HttpAnswer['headers'] = {};
    const chunks: Buffer[] = [];
    let size = 0;

    const settle = (finish: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onAbort = (): void => {
      const reason = reasonOf(signal);
      controller?.abort(reason);
      if (body instanceof Readable) body.destroy();
      settle(() => {
        // A deadline that passed before there was a connection: the request was never sent.
        const unsent = reason instanceof TransportError && controller === undefined;
        reject(unsent ? new TransportError(reason.problem, false, reason.message) : reason);
      });
    };
    const body = request.body?.open();
    signal.addEventListener('abort', onAbort, { once: true });

    dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: { ...request.headers, ...bodyHeaders(request) },
        body: body ?? null,
      },
      {
        // Called when a connection is there and the request is about to be written to it.
        onRequestStart(started) {
          controller = started;
          if (signal.aborted) started.abort(reasonOf(signal));
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
            resolve({ status, headers, text: Buffer.concat(chunks, size).toString('utf8') });
          });
        },
        onResponseError(_controller, error) {
          settle(() => {
            reject(signal.aborted ? reasonOf(signal) : transportError(error, controller !== undefined));
          });
        },
      },
    );
  });
}

function bodyHeaders(request: HttpRequest): Record<string, string> {
  if (request.body === undefined) return {};
  return { 'content-type': request.body.contentType, 'content-length': String(request.body.length) };
}

function flatten(headers: IncomingHttpHeaders): HttpAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

function transportError(error: Error, started: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const problem = problemOf(error, started);
  return new TransportError(problem, started, describeError(error), { cause: error });
}

function problemOf(error: Error, started: boolean): TransportProblem {
  const code = codeOf(error);
  if (code.startsWith('HPE_') || code === 'UND_ERR_RESPONSE') return 'malformed';
  if (started) return 'interrupted';
  return isUntrusted(code) ? 'untrusted' : 'unreachable';
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

// OpenSSL's verification codes as Node names them, and the failures of the handshake itself.
const untrusted =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$)/u;

function isUntrusted(code: string): boolean {
  return untrusted.test(code);
}
