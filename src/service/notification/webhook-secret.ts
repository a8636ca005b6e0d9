import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../runtime/random.ts';

/**
 * Webhook signatures as in Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA-256 over the id, the time and
 * the body, so that a receiver can verify the sender, the time and the integrity of a message.
 */

/** A secret that a target's webhooks are signed with. Times are in Unix seconds. */
export interface SigningSecret {
  /** `whsec_` and the key in Base64. */
  readonly secret: string;
  readonly createdAt: number;
  /** Expiry time; undefined for the latest secret. */
  readonly expiresAt?: number | undefined;
}

const prefix = 'whsec_';

/** Creates a secret with a key of 256 random bits. */
export function newWebhookSecret(randomBytes: RandomBytes): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Adds a secret as the latest. The previous one is valid for the grace period (in seconds); older ones go. */
export function rotateSecret(
  secrets: readonly SigningSecret[],
  secret: string,
  { now, grace }: { readonly now: number; readonly grace: number },
): readonly SigningSecret[] {
  const [previous] = secrets;
  const kept = previous === undefined || grace === 0 ? [] : [{ ...previous, expiresAt: now + grace }];
  return [{ secret, createdAt: now }, ...kept];
}

export interface SignedMessage {
  readonly id: string;
  /** When it is sent, in whole Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The value of the header `webhook-signature`: one signature per valid secret; undefined if none is valid. */
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
