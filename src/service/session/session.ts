import { createHash } from 'node:crypto';
import type { RandomBytes } from '../../runtime/random.ts';

/**
 * A browser's session: it stands for the key that its user signed in with, and gives the same access. All times are in
 * Unix seconds, with a fraction.
 */
export interface Session {
  /** The SHA-256 of its token. */
  readonly tokenHash: Uint8Array;
  /** The organization that the key was issued in. */
  readonly org: string;
  readonly keyId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** How long a session lasts, in seconds: a working day. */
export const sessionSeconds = 12 * 3600;

/** The maximum number of sessions of a key. The oldest one ends when there are more. */
export const maximumSessions = 20;

/** Creates the token of a session, which only the browser keeps: 256 random bits. */
export function newSessionToken(randomBytes: RandomBytes): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a token for storage. Tokens are random, so a fast hash is enough (`hashSecret`). */
export function hashSessionToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

/**
 * The text that the forms of a session's pages contain. Pages of other sites cannot read it, so a form with it was sent
 * from a page of this service.
 */
export function toFormToken(token: string): string {
  return createHash('sha256').update(`form ${token}`).digest('base64url');
}
