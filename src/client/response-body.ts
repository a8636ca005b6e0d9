import { toAcceptedSchema, toResponseView } from '../contract/accepted-response.ts';
import { violations } from '../contract/check.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { withExactFreeForm } from '../contract/free-form.ts';
import { keysAcceptedHeader } from '../contract/idempotency.ts';
import type { TSchema } from '../contract/schema.ts';
import { readJsonBody } from '../http/json-body.ts';
import { parseRetryAfter } from '../http/retry.ts';
import type { HttpResponse } from '../http/transport.ts';
import { findDuplicateKey } from '../runtime/duplicate-key.ts';
import { countInexactNumbers, parseExactJson } from '../runtime/exact-json.ts';
import { ExternalError, Failure } from '../runtime/failure.ts';
import { isMapping, textAt, valueAt } from '../runtime/untrusted-data.ts';
import { endpointLabel, ServiceError } from './service-error.ts';

/** The request that an answer belongs to, for error messages. */
export interface CallDescription {
  readonly endpoint: Endpoint;
  /** The path below the base address, with its query. */
  readonly path: string;
  readonly attempts: number;
  /** True if an attempt before the last may have reached the service. */
  readonly earlierArrived?: boolean;
  /** When the answer arrived, in milliseconds since the epoch. Relative times in it count from here. */
  readonly answeredAt: number;
  /** Whether the service is known to honour idempotency keys, so that each of its answers says so. */
  readonly isKeyed?: boolean;
}

/**
 * Checks that the client can rely on an answer. Any status from 200 to 299 is a success.
 *
 * A success of a request that changes something must be the service's own, because a proxy or the login page of a
 * network may answer 200 in its place: see `requireOwnAnswer` and `acknowledgement`.
 *
 * @returns the body of a success as far as it has the declared form (`toResponseView`)
 * @throws ServiceError for an error answer or a redirect; ExternalError for a success that cannot be relied on
 */
export function successBody(answer: HttpResponse, asked: CallDescription): unknown {
  const { success, repetition } = asked.endpoint;
  const declared = success.find(({ status }) => status === answer.status) ?? success[0];
  if (declared === undefined || answer.status < 200 || answer.status >= 300) throw toServiceError(answer, asked);
  const schema = toAcceptedSchema(declared.schema);
  if (repetition.effect !== 'safe') {
    requireOwnAnswer(answer, asked);
    if (valueAt(schema, 'type') === 'string') return acknowledgement(answer, asked);
  }
  const body = readJsonBody(answer);
  if (body.problem !== undefined) throw unexpectedResponse(answer, asked, body.problem);
  const repeated = findDuplicateKey(answer.text);
  if (repeated !== undefined) {
    throw unexpectedResponse(answer, asked, `a body that holds the key \`${repeated}\` twice in one object`);
  }
  const view = toResponseView(schema, exactValue(schema, answer.text, body.value));
  const wrong = violations(schema, view);
  if (wrong.length > 0) {
    const fields = wrong.map(({ field, rule }) => (field === '' ? `it ${rule}` : `${field} ${rule}`));
    throw unexpectedResponse(answer, asked, `a body that does not have the expected form: ${fields.join('; ')}`);
  }
  return view;
}

/** Whether a success can be relied on: see `successBody`. */
export function isReliable(answer: HttpResponse, asked: CallDescription): boolean {
  try {
    successBody(answer, asked);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** @throws ExternalError if the service says in each answer that it honours keys, but this answer does not say so. */
function requireOwnAnswer(answer: HttpResponse, asked: CallDescription): void {
  if (asked.isKeyed !== true || saysKeysAreHonoured(answer)) return;
  throw unexpectedResponse(answer, asked, `an answer that lacks the header \`${keysAcceptedHeader}\` of the service`);
}

/**
 * The body of an answer if only its status matters. An answer that says that keys are honoured may have any JSON, plain
 * text or no body. Any other must be JSON in a form that services are known to send: a text (interface, Endpoints), or
 * `{"message":"OK"}` (observed on the wire). Every other form may be from something in front of the service.
 */
function acknowledgement(answer: HttpResponse, asked: CallDescription): unknown {
  const isOwn = saysKeysAreHonoured(answer);
  if (isOwn && isPlainText(answer)) return answer.text;
  const body = readJsonBody(answer);
  if (body.problem !== undefined) throw unexpectedResponse(answer, asked, body.problem);
  if (!isOwn && typeof body.value !== 'string' && textAt(body.value, 'message') !== 'OK') {
    throw unexpectedResponse(answer, asked, 'a JSON body that is not of the service');
  }
  return body.value;
}

/** The value of a JSON text. Free-form data in it keeps its exact text. */
function exactValue(schema: TSchema, text: string, plain: unknown): unknown {
  return countInexactNumbers(text) === 0 ? plain : withExactFreeForm(schema, plain, parseExactJson(text));
}

function isPlainText({ text, headers }: HttpResponse): boolean {
  return text.trim() === '' || /^text\/plain\s*(;|$)/iu.test(headers['content-type']?.trim() ?? '');
}

/**
 * Whether an answer says that the service honours idempotency keys. Proxies and login pages do not send that header, so
 * the answer is the service's own.
 */
export function saysKeysAreHonoured({ headers }: HttpResponse): boolean {
  return headers[keysAcceptedHeader]?.trim() === '?1';
}

/** Whether an error answer has the body of every error of the service. A truncated or a proxy's answer has not. */
export function isErrorOfService(answer: HttpResponse): boolean {
  const body = readJsonBody(answer);
  return body.problem === undefined && textAt(body.value, 'message') !== undefined;
}

/** What an error says about a request, which may be for something outside the API. */
export type RequestDescription = Omit<CallDescription, 'endpoint'> & {
  readonly endpoint: Pick<Endpoint, 'operation' | 'title' | 'method'>;
};

export function toServiceError(answer: HttpResponse, asked: RequestDescription): ServiceError {
  const body = readJsonBody(answer);
  const value = body.problem === undefined ? body.value : undefined;
  return new ServiceError({
    operation: endpointLabel(asked.endpoint),
    method: asked.endpoint.method,
    path: asked.path,
    status: answer.status,
    serviceMessage: textAt(value, 'message'),
    fieldErrors: fieldErrors(value),
    bodyDescription: redirectTarget(answer) ?? body.problem ?? 'a JSON body without a message',
    attempts: asked.attempts,
    earlierArrived: asked.earlierArrived ?? false,
    retryAfter: parseRetryAfter(answer.headers['retry-after'], asked.answeredAt),
  });
}

/** What is wrong with which field. Values that are not strings are shown as JSON, so that nothing is lost. */
export function fieldErrors(body: unknown): Readonly<Record<string, string>> {
  const errors = valueAt(body, 'errors');
  if (!isMapping(errors)) return {};
  return Object.fromEntries(
    Object.entries(errors).map(([field, words]) => [field, typeof words === 'string' ? words : JSON.stringify(words)]),
  );
}

function unexpectedResponse(answer: HttpResponse, asked: CallDescription, what: string): ExternalError {
  const attempts = asked.attempts > 1 ? ` (after ${asked.attempts} attempts)` : '';
  return new ExternalError({
    what: `${endpointLabel(asked.endpoint)}: ${asked.endpoint.method} ${asked.path} returned ${answer.status} with ${what}${attempts}`,
    remedy: 'Check that `base-url` points to the service and that no proxy or login page answers in its place.',
  });
}

/** Only the origin of a redirect: its path and query may hold tickets of a login. */
function redirectTarget(answer: HttpResponse): string | undefined {
  const location = answer.headers['location'];
  if (answer.status < 300 || answer.status >= 400 || location === undefined) return undefined;
  return URL.canParse(location) ? `a redirect to ${new URL(location).origin}` : 'a redirect';
}
