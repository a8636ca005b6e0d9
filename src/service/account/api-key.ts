import { createHash, hash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../runtime/random.ts';

/**
 * The parts of an API key, `compkey-<public id>_<secret>`. The id identifies the stored key; the secret proves
 * possession of it.
 */
export interface ApiKey {
  readonly id: string;
  readonly secret: string;
}

/**
 * How the keys that this service generates begin, so that secret scanners find them. No id contains a hyphen, so keys
 * without the prefix (older ones, and those that operators choose) cannot be confused with others.
 */
const keyPrefix = 'compkey-';

// The secret may contain `_` (base64url), the id may not, so the first `_` separates them. The secret has at least 32
// characters, because a fast hash is only safe for a secret that cannot be guessed.
const form = /^(?:compkey-)?(?<id>[a-zA-Z0-9]{4,64})_(?<secret>[a-zA-Z0-9_-]{32,256})$/;

/** The format of a key, for messages to operators who choose their own. */
export const apiKeyForm =
  'an id of 4 to 64 letters and digits, an underscore, and a secret of 32 to 256 letters, digits, `-` and `_`';

/** Parses a key as it was sent; undefined if it does not have the format. */
export function parseApiKey(text: string): ApiKey | undefined {
  const groups = form.exec(text)?.groups;
  const { id, secret } = groups ?? {};
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Formats a generated key as its owner sends it. */
export function formatApiKey(key: ApiKey): string {
  return `${keyPrefix}${key.id}_${key.secret}`;
}

/** Creates a key: a public id of 64 random bits and a secret of 256. */
export function newApiKey(randomBytes: RandomBytes): ApiKey {
  return { id: randomBytes(8).toString('hex'), secret: randomBytes(32).toString('base64url') };
}

/**
 * Creates the key for an identity token, with an id that follows from the token: ids are unique, so there is only one key
 * for each token, as long as the key is stored.
 *
 * @param token identifies the token among all tokens of all issuers
 */
export function newLoginKey(token: readonly [issuer: string, tokenId: string], randomBytes: RandomBytes): ApiKey {
  const id = createHash('sha256').update(JSON.stringify(token)).digest('hex').slice(0, 16);
  return { ...newApiKey(randomBytes), id };
}

/**
 * Hashes a secret with SHA-256 for storage. A slow, salted hash would protect secrets that people choose; 256 random
 * bits cannot be guessed at any speed, and the hash is computed for every request.
 */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

/** Whether the secret has this hash; compared in constant time. */
export function secretMatches(secret: string, hash: Uint8Array): boolean {
  const candidate = hashSecret(secret);
  return candidate.length === hash.length && timingSafeEqual(candidate, hash);
}
