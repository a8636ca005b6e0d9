import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { violations } from '../../../src/contract/check.ts';
import { webhookSecret } from '../../../src/contract/notification.ts';
import { newWebhookSecret, rotateSecret, signMessage } from '../../../src/service/notification/webhook-secret.ts';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;

describe('the secret of a webhook', () => {
  it('consists of 32 random bytes in the accepted format', () => {
    const made = newWebhookSecret((size) => Buffer.alloc(size, 7));
    expect(made).toBe(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    expect(violations(webhookSecret, made)).toEqual([]);
  });

  it.each([24, 25, 26, 48, 62, 63, 64])('may have %d bytes', (size) => {
    expect(violations(webhookSecret, `whsec_${Buffer.alloc(size, 9).toString('base64')}`)).toEqual([]);
  });

  it.each([
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    Buffer.alloc(24).toString('base64'),
    `${secret}\n`,
    'whsec_',
  ])('may not be %j', (text) => {
    expect(violations(webhookSecret, text)).not.toEqual([]);
  });

  it('makes the one before it expire, and drops older ones', () => {
    const first = rotateSecret([], 'whsec_1', { now: 10, grace: 100 });
    expect(first).toEqual([{ secret: 'whsec_1', createdAt: 10 }]);
    const second = rotateSecret(first, 'whsec_2', { now: 20, grace: 100 });
    expect(second).toEqual([
      { secret: 'whsec_2', createdAt: 20 },
      { secret: 'whsec_1', createdAt: 10, expiresAt: 120 },
    ]);
    expect(rotateSecret(second, 'whsec_3', { now: 30, grace: 0 })).toEqual([{ secret: 'whsec_3', createdAt: 30 }]);
  });
});

describe('the signature of a webhook', () => {
  const message = { id: 'abc', timestamp: 1000, body: '{"a":"ü"}' };
  const expected = (byte: number): string =>
    `v1,${createHmac('sha256', Buffer.alloc(24, byte)).update('abc.1000.{"a":"ü"}').digest('base64')}`;

  it('is made with each secret that is valid', () => {
    const previous = { secret: other, createdAt: 1, expiresAt: 1001 };
    expect(signMessage(message, [{ secret, createdAt: 2 }, previous])).toBe(`${expected(1)} ${expected(2)}`);
    expect(
      signMessage(message, [
        { secret, createdAt: 2 },
        { ...previous, expiresAt: 1000 },
      ]),
    ).toBe(expected(1));
  });

  it('is left out without a secret', () => {
    expect(signMessage(message, [])).toBeUndefined();
  });
});
