import { createHash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../runtime/random.ts';

/** An API key taken apart: `<public id>_<secret>`. The id finds the stored key, the secret proves it. */
export interface ApiKey {
  readonly id: string;
  readonly secret: string;
}

// The secret may hold `_` (base64url), the id may not, so the first `_` separates them. 32 characters and more, because a
// fast hash is only safe over a secret that nobody can guess.
const form = /^(?<id>[a-zA-Z0-9]{4,64})_(?<secret>[a-zA-Z0-9_-]{32,256})$/;

/** What a key looks like, in words, for those who bring their own. */
export const apiKeyForm =
  'an id of 4 to 64 letters and digits, an underscore, and a secret of 32 to 256 letters, digits, `-` and `_`';

/** The parts of a key as it was sent; undefined where it cannot be a key of this service. */
export function parseApiKey(text: string): ApiKey | undefined {
  const groups = form.exec(text)?.groups;
  const { id, secret } = groups ?? {};
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** The key as its owner sends it. */
export function formatApiKey(key: ApiKey): string {
  return `${key.id}_${key.secret}`;
}

/** A new key: a public id of 64 random bits and a secret of 256. */
export function newApiKey(randomBytes: RandomBytes): ApiKey {
  return { id: randomBytes(8).toString('hex'), secret: randomBytes(32).toString('base64url') };
}

/**
 * What is stored of a secret: its SHA-256. A slow, salted hash protects what people choose; a secret of 256 random bits
 * cannot be guessed at any speed, and this one is computed for every request.
 */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

/** Whether the secret is the one that was hashed, in a time that does not depend on how much of it is right. */
export function secretMatches(secret: string, hash: Uint8Array): boolean {
  const candidate = hashSecret(secret);
  return candidate.length === hash.length && timingSafeEqual(candidate, hash);
}
