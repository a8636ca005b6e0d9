import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../runtime/random.ts';

/**
 * Signatures of webhooks in the form of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA-256 over the id, the
 * time and the body, so that a receiver knows who sent a message, when, and that nobody changed it.
 */

/** A secret that the webhooks of a target are signed with. Times are in Unix seconds. */
export interface SigningSecret {
  /** `whsec_` and the key in Base64. */
  readonly secret: string;
  readonly createdAt: number;
  /** From then on it signs nothing; undefined for the latest one. */
  readonly expiresAt?: number | undefined;
}

const prefix = 'whsec_';

/** A new secret with a key of 256 random bits. */
export function newWebhookSecret(randomBytes: RandomBytes): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Puts a secret first. The one before it stays valid for so many seconds, and older ones no longer. */
export function rotateSecret(
  secrets: readonly SigningSecret[],
  secret: string,
  { now, grace }: { readonly now: number; readonly grace: number },
): readonly SigningSecret[] {
  const [previous] = secrets;
  const kept = previous === undefined || grace === 0 ? [] : [{ ...previous, expiresAt: now + grace }];
  return [{ secret, createdAt: now }, ...kept];
}

/** What is signed. */
export interface SignedMessage {
  readonly id: string;
  /** When it is sent, in whole Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The value of the header `webhook-signature`: a signature for each valid secret. Undefined if there is none. */
export function signMessage(message: SignedMessage, secrets: readonly SigningSecret[]): string | undefined {
  const { id, timestamp, body } = message;
  const valid = secrets.filter(({ expiresAt }) => expiresAt === undefined || timestamp < expiresAt);
  if (valid.length === 0) return undefined;
  const signatures = valid.map(({ secret }) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return signatures.join(' ');
}
