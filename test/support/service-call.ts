import { conforms } from '../../src/contract/check.ts';
import { errorBody } from '../../src/contract/errors.ts';
import { isMapping, type Mapping } from '../../src/runtime/untrusted-data.ts';
import { type EndpointResult, findDeviation } from './openapi-conformance.ts';
import type { TestService } from './service.ts';

/** A request to a service. */
export interface Call {
  readonly method?: string;
  /** Relative to the base address of the interface, or to `at`. */
  readonly path: string;
  readonly at?: string;
  /** The bearer token. Default: the test service's key. Null for none. */
  readonly key?: string | null;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response. */
export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body; undefined if it is not JSON. */
  readonly body: unknown;
}

const jsonType = /^application\/(?:json; charset=utf-8|[\w.]+\+json)$/u;

/**
 * Sends a request over real HTTP. Checks that every error has the schema of error bodies, and that every response of an
 * operation matches the service's OpenAPI document.
 */
export async function call(service: TestService, sent: Call): Promise<Called> {
  const { method = 'GET', path, at = service.baseUrl, key = service.apiKey, json, form } = sent;
  const response = await fetch(at + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    body: json === undefined ? (form ?? sent.body ?? null) : JSON.stringify(json),
  });
  const contentType = response.headers.get('content-type');
  const { text, body } = parseContent(contentType, await response.text());
  const { status, headers } = response;
  if (status >= 400) requireErrorBody(body, text);
  if (at === service.baseUrl) requireDeclared({ method, path, status, contentType, body });
  return { status, headers, text, body };
}

function parseContent(contentType: string | null, text: string): Pick<Called, 'text' | 'body'> {
  // No two packages are equal: they have the time and random bytes (`audit-package.ts`).
  if (contentType === 'application/zip') return { text: '', body: '' };
  return { text, body: jsonType.test(String(contentType)) ? JSON.parse(text) : undefined };
}

// These do not use `expect`, which is slow for checks of thousands of responses.

/** @throws TypeError if it is not an error body */
function requireErrorBody(body: unknown, text: string): void {
  if (!conforms(errorBody, body)) throw new TypeError(`not an error body: ${text}`);
}

/** @throws TypeError if the service's OpenAPI document does not declare the response */
function requireDeclared(result: EndpointResult): void {
  const deviation = findDeviation(result);
  if (deviation !== undefined) throw new TypeError(deviation);
}

export function mappingOf(called: Called): Mapping {
  if (!isMapping(called.body)) throw new TypeError(`not an object: ${called.text}`);
  return called.body;
}

/** @throws Error if the service has refused the request */
export async function accepted(called: Promise<Called>): Promise<void> {
  const { status, text } = await called;
  if (status >= 300) throw new Error(`${status}: ${text}`);
}
