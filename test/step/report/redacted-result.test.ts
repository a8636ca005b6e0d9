import { describe, expect, it } from '@jest/globals';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { redactResult } from '../../../src/step/report/redacted-result.ts';
import { collectSecrets } from '../../../src/step/report/secrets.ts';
import { decideResult } from '../../../src/step/run/gate.ts';

const key = 'perc%2fent/a#1-@b"c<d>';

function shown(text: string, href?: string, secret = key) {
  const result: OperationResult = {
    outcome: 'non-compliant',
    conclusion: text,
    response: { text },
    htmlUrl: href,
    report: {
      subject: text,
      reasons: [
        {
          ...{ state: 'failed', about: text, rule: text, value: text, limit: text, description: text },
          ...(href === undefined ? {} : { html_url: href }),
        },
      ],
      facts: [{ label: text, value: { text, href } }],
      tables: [{ title: text, columns: [text], rows: [[{ text, href }]] }],
    },
  };
  const stepResult = { decision: decideResult(result, 'fail'), result, runUrl: href, summary: true };
  return redactResult(stepResult, collectSecrets([secret]).redact);
}

describe('redactResult', () => {
  it('leaves no secret in any text', () => {
    const text = JSON.stringify(shown(`the key ${key} it is`));
    expect(text).toContain('the key *** it is');
    expect(text).not.toContain('perc');
  });

  it.each([
    ['as it is', `https://x.example.com/p?k=${key}`],
    ['encoded', `https://x.example.com/p?k=${encodeURIComponent(key)}`],
    [
      'encoded in small letters',
      `https://x.example.com/p?k=${encodeURIComponent(key).replaceAll(/%../gu, (one) => one.toLowerCase())}`,
    ],
    ['encoded for the greater part', `https://x.example.com/p?k=${encodeURIComponent(key).replace('%40', '@')}`],
  ])('leaves out a link with a secret %s', (_how, href) => {
    expect(JSON.stringify(shown('text', href))).not.toContain('x.example.com');
  });

  it.each(['non', 'fail', 'error'])(
    'keeps the outcome, the level and the state of reasons for the secret %s',
    (secret) => {
      expect(shown('text', undefined, secret)).toMatchObject({
        decision: { outcome: 'non-compliant', annotation: { level: 'error' } },
        result: { report: { reasons: [{ state: 'failed' }] } },
      });
    },
  );

  it('keeps other links', () => {
    const href = 'https://x.example.com/p?k=a%20b';
    const reasons = [{ state: 'failed', about: 'text', html_url: href }];
    expect(shown('text', href)).toMatchObject({ runUrl: href, result: { htmlUrl: href, report: { reasons } } });
  });
});
