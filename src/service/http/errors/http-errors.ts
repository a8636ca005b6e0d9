import type { ErrorAnswer } from '../../../contract/endpoint.ts';

/**
 * The answers that no endpoint declares, because every HTTP service gives them. The interface does not show their words;
 * the statuses are HTTP's (RFC 9110, RFC 6585, RFC 4918).
 */
export const httpErrors = {
  badRequest: { status: 400, message: 'The request is not valid HTTP', when: 'Its head or address is malformed.' },
  notFound: { status: 404, message: 'There is nothing at {method} {path}', when: 'No endpoint has this address.' },
  methodNotAllowed: {
    status: 405,
    message: '{method} is not possible here; use {allowed}',
    when: 'The address exists with another method.',
  },
  timeout: { status: 408, message: 'The request took too long to arrive', when: 'A head or body came too slowly.' },
  tooLarge: { status: 413, message: 'The request is too large', when: 'A JSON document is over its limit.' },
  unsupportedType: {
    status: 415,
    message: 'The body must be sent as {type}, without Content-Encoding',
    when: 'The Content-Type or the Content-Encoding is another.',
  },
  expectation: { status: 417, message: 'The expectation cannot be met; leave Expect out', when: 'Expect is unknown.' },
  tooManyFailures: {
    status: 429,
    message: 'Too many failed authentications; check the API key, and try again later',
    when: 'Wrong keys were sent too often; `Retry-After` says when to try again. A right key is always accepted.',
  },
  headersTooLarge: { status: 431, message: 'The head of the request is too large', when: 'The headers are too long.' },
  internal: {
    status: 500,
    message: 'The service has failed; its log names this request as {id}',
    when: 'The service has a defect.',
  },
  notImplemented: {
    status: 501,
    message: 'The service does not know this method',
    when: 'The method is not one of HTTP, or is CONNECT.',
  },
  draining: {
    status: 503,
    message: 'The service is stopping',
    when: '`/ready` is asked while the service stops.',
  },
  attachmentDamaged: {
    status: 500,
    message:
      "The file '{filename}' of attestation '{id}' is {fault}: the service no longer has the content with the SHA-256 {digest}",
    when: 'The file that is kept is missing, truncated or altered.',
  },
  overloaded: {
    status: 503,
    message: 'Too much is being sent and answered at once for this organization; try again later',
    when: 'The requests and answers of an organization, or of all, would take too much memory.',
  },
  busy: {
    status: 503,
    message: 'The storage is in use by another process; try again later',
    when: 'Something else holds the database for long.',
  },
  storageUnavailable: {
    status: 503,
    message: 'The service cannot use its storage; nothing was recorded; try again later',
    when: 'The disk or the file system fails, is read-only, or is not there.',
  },
  notReady: {
    status: 503,
    message: 'Not ready: the storage is {reason}',
    when: 'Nothing can be recorded now.',
  },
  storageFull: {
    status: 507,
    message: 'The service has no room left to record this; nothing was recorded',
    when: 'The disk is full.',
  },
} as const satisfies Record<string, ErrorAnswer>;

/** The header of an answer to a request that may be repeated, in seconds. */
export const retryAfterHeader = { 'retry-after': '10' };
