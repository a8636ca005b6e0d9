import { expect } from '@jest/globals';
import { conforms } from '../../src/contract/check.ts';
import { errorBody } from '../../src/contract/errors.ts';
import { isMapping, type Mapping } from '../../src/runtime/untrusted-data.ts';
import { findDeviation } from './openapi-conformance.ts';
import type { TestService } from './service.ts';

/** What is sent to a service. */
export interface Call {
  readonly method?: string;
  /** Relative to the base address of the interface; `/…` with `at` relative to that. */
  readonly path: string;
  readonly at?: string;
  /** Bearer; the service's own key where absent, none where null. */
  readonly key?: string | null;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON answer; undefined where it is none. */
  readonly body: unknown;
}

/**
 * Sends a request over real HTTP. Every error answer is held to the one form of error bodies, and every answer of an
 * operation to the service's OpenAPI document.
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
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json; charset=utf-8';
  const body: unknown = isJson ? JSON.parse(text) : undefined;
  if (response.status >= 400) expect(conforms(errorBody, body)).toBe(true);
  if (at === service.baseUrl) {
    const contentType = response.headers.get('content-type');
    expect(findDeviation({ method, path, status: response.status, contentType, body })).toBeUndefined();
  }
  return { status: response.status, headers: response.headers, text, body };
}

/** The answer as an object. */
export function mappingOf(called: Called): Mapping {
  if (!isMapping(called.body)) throw new TypeError(`not an object: ${called.text}`);
  return called.body;
}
