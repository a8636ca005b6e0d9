import { type HttpRequest, type RequestBody, type Transport, TransportError } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/undici-transport.ts';
import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import { openTestClient, type TestClient, type TestClientSettings } from './client.ts';
import type { Closable } from './close-after-each.ts';
import { type Fault, type FaultyServer, startFaultyServer } from './faulty-server.ts';

/** Starts and opens what a test of HTTP needs; everything is closed after the test. */
export interface HttpFixture {
  /** Starts a server. The first request gets the first fault, and so on; the last fault is repeated. */
  readonly startServer: (...faults: readonly [Fault, ...Fault[]]) => Promise<FaultyServer>;
  /** Opens a transport; by default without a proxy. */
  readonly openTransport: (environment?: EnvironmentVariables) => Transport;
  /** Opens a client for the service at a URL. */
  readonly openClient: (url: URL, settings?: TestClientSettings) => TestClient;
}

/** @param opened what `closeAfterEach` returns */
export function httpFixture(opened: <Opened extends Closable>(closable: Opened) => Opened): HttpFixture {
  return {
    startServer: async (...faults) => opened(await startFaultyServer(...faults)),
    openTransport: (environment = {}) => opened(createTransport(environment)),
    openClient: (url, settings) => opened(openTestClient(new URL('/api/v2', url), settings)),
  };
}

/** The error with which a call aborts a request after its deadline. */
export const timeoutError = new TransportError('timeout', true, 'no complete answer within 30 s');

export const neverAborted = new AbortController().signal;

export function getRequest(url: URL, path = '/api/v2/flows/acme'): HttpRequest {
  return { method: 'GET', url: new URL(path, url), headers: { authorization: 'Bearer key' } };
}

/** A PUT request with an API key. */
export function putRequest(url: URL, body: RequestBody): HttpRequest {
  return { ...getRequest(url), method: 'PUT', body };
}
