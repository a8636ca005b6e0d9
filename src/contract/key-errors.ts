import type { ErrorResponse } from './errors.ts';

/**
 * The errors for idempotency keys. The interface does not show the header; the statuses are those of the IETF draft "The
 * Idempotency-Key HTTP Header Field".
 */
export const keyErrors = {
  stillRunning: {
    status: 409,
    message: 'A request with the same Idempotency-Key is still running; try again',
    when: 'The first request with the `Idempotency-Key` is still running; `Retry-After` says when to try again.',
  },
  otherContent: {
    status: 422,
    message: 'The Idempotency-Key was used for a request with other content; use a new key',
    when: 'An earlier request with the same `Idempotency-Key` had other content. Nothing was recorded.',
  },
} as const satisfies Record<string, ErrorResponse>;
