/**
 * The request header with the idempotency key of a write (IETF draft "The Idempotency-Key HTTP Header Field"): the
 * service carries out requests with the same key once. The interface does not show it, so a service may ignore it.
 */
export const idempotencyKeyHeader = 'idempotency-key';

/** The response header by which a service says that it honours idempotency keys (`?1`, a Boolean of RFC 9651). */
export const keysAcceptedHeader = 'accept-idempotency-key';

/** The response header that marks the answer to an earlier request with the same key (`true`). */
export const replayedHeader = 'idempotent-replayed';

/**
 * The response header that marks such an answer if the record of the key no longer counts (`true`): a later attestation
 * with other content has its name, for one of its subjects; the latest report of its name in the trail is about another
 * artifact or commit; or there is a later version of the policy.
 */
export const supersededHeader = 'idempotent-superseded';

/**
 * The key of `user_data` under which the action records the idempotency key of an attestation, so that it can be found
 * in a list of a service that ignores the header. The user's own data must not contain it.
 */
export const idempotencyDataKey = 'idempotency_key';

/** For how many days a service keeps the key of a write that appends nothing. GitHub allows re-runs for 30 days. */
export const keyRetentionDays = 35;

/** Formats a key as a header value: a String of RFC 9651. */
export function formatIdempotencyKey(key: string): string {
  return `"${key}"`;
}

/**
 * Reads a header value, with or without quotation marks; undefined if it is not a key. A key has 1 to 255 visible ASCII
 * characters, without quotation marks and backslashes.
 */
export function parseIdempotencyKey(value: string): string | undefined {
  const key = value.trim().replace(/^"(.*)"$/u, '$1');
  return /^[!#-[\]-~]{1,255}$/u.test(key) ? key : undefined;
}

/** The path of a field in a document, from the outside in: `['user_data', 'github', 'run_attempt']`. */
export type FieldPath = readonly string[];

/** A document without the fields that may differ between two attempts to record the same. */
export function withoutFields(document: unknown, fields: readonly FieldPath[]): unknown {
  return fields.reduce(withoutField, document);
}

function withoutField(value: unknown, [key, ...rest]: FieldPath): unknown {
  if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  const entries = Object.entries(value);
  const kept = rest.length === 0 ? entries.filter(([name]) => name !== key) : entries;
  return Object.fromEntries(kept.map(([name, inner]) => [name, name === key ? withoutField(inner, rest) : inner]));
}
