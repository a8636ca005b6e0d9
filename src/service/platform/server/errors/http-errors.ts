import type { ErrorResponse } from '../../../../contract/errors.ts';

/**
 * Errors that no endpoint declares, because every HTTP service has them. The interface does not define their messages;
 * the status codes are those of HTTP (RFC 9110, RFC 6585, RFC 4918).
 */
export const httpErrors = {
  badRequest: {
    status: 400,
    message: 'The request is not valid HTTP',
    when: 'The request line, a header or the address is malformed.',
  },
  notFound: { status: 404, message: 'There is nothing at {method} {path}', when: 'No endpoint has this address.' },
  methodNotAllowed: {
    status: 405,
    message: '{method} is not allowed here; use {allowed}',
    when: 'The address exists, with other methods.',
  },
  timeout: {
    status: 408,
    message: 'The request took too long to arrive',
    when: 'The headers or the body arrived too slowly.',
  },
  tooLarge: { status: 413, message: 'The request is too large', when: 'A JSON document exceeds its limit.' },
  unsupportedType: {
    status: 415,
    message: 'The body must be sent as {type}, without Content-Encoding',
    when: 'The Content-Type or Content-Encoding is a different one.',
  },
  expectation: {
    status: 417,
    message: 'The Expect header has an unsupported value; leave it out',
    when: 'The Expect header is not 100-continue.',
  },
  tooManyFailures: {
    status: 429,
    message: 'Too many failed authentications; check the API key, and try again later',
    when: 'Wrong keys or identity tokens were sent too often; `Retry-After` says when to try again. A correct key is always accepted.',
  },
  tooManyRequests: {
    status: 429,
    message: 'Too many requests; try again later',
    when: 'The organization, or without a key the address, sends too many requests; `Retry-After` says when to try again.',
  },
  headersTooLarge: { status: 431, message: 'The request headers are too large', when: 'The headers are too long.' },
  internal: {
    status: 500,
    message: 'Internal error; the log of the service has the details of request {id}',
    when: 'The service has a defect.',
  },
  notImplemented: {
    status: 501,
    message: 'The service does not support this method',
    when: 'The method is not one of HTTP, or is CONNECT.',
  },
  draining: {
    status: 503,
    message: 'The service is stopping',
    when: '`/ready` was called while the service stops.',
  },
  attachmentDamaged: {
    status: 500,
    message:
      "The file '{filename}' of attestation '{id}' is {fault}: the service no longer has the content with SHA-256 {digest}",
    when: 'The stored file is missing, truncated or altered.',
  },
  overloaded: {
    status: 503,
    message: 'Too many large requests and responses at the same time; try again later',
    when: 'The requests and responses of the organization, or of all organizations, would take too much memory.',
  },
  underPressure: {
    status: 503,
    message: 'The service is overloaded; try again later',
    when: 'The service answers too slowly, or has hardly any memory left.',
  },
  busy: {
    status: 503,
    message: 'The storage is in use by another process; try again later',
    when: 'Another process has locked the database for too long.',
  },
  storageUnavailable: {
    status: 503,
    message: 'The service cannot use its storage; nothing was recorded; try again later',
    when: 'The disk or the file system fails, is read-only or is missing, or the database or the object storage cannot be reached.',
  },
  uncertain: {
    status: 503,
    message:
      'The service lost its database while it was recording this; it may have been recorded; try again with the same Idempotency-Key, or look before you send it again',
    when: 'The connection was lost during the commit, and the outcome could not be found out in time.',
  },
  notReady: {
    status: 503,
    message: 'Not ready: the storage is {reason}',
    when: 'Nothing can be recorded at the moment.',
  },
  storageFull: {
    status: 507,
    message: 'The service has no room left to record this; nothing was recorded',
    when: 'The disk is full.',
  },
} as const satisfies Record<string, ErrorResponse>;

/** Header of an error after which the request may be repeated; in seconds. */
export const retryAfterHeader = { 'retry-after': '10' };
