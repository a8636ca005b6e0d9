import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collectSecrets } from '../../../src/step/report/secrets.ts';
import { aSecret, formsOf, textAround } from '../../support/secret.ts';

describe('collectSecrets', () => {
  it('redacts a key in plain text, a basic header, a URL, JSON and a summary', () => {
    const key = 'a"b&c/d+e';
    const { redact } = collectSecrets([key]);
    expect(redact(`Bearer ${key}.`)).toBe('Bearer ***.');
    expect(redact(`Basic ${Buffer.from(`${key}:`).toString('base64')}`)).toBe('Basic ***');
    expect(redact('https://x/?key=a%22b%26c%2Fd%2Be&more')).toBe('https://x/?key=***&more');
    expect(redact(JSON.stringify({ key }))).toBe('{"key":"***"}');
    expect(redact('<td>a&quot;b&amp;c/d+e</td>')).toBe('<td>***</td>');
  });

  it('redacts the whole of a key that starts with another key', () => {
    const { redact } = collectSecrets(['secret', 'secret-and-more']);
    expect(redact('secret-and-more, secret')).toBe('***, ***');
  });

  it('ignores an empty key', () => {
    const { forms, redact } = collectSecrets(['', '']);
    expect(forms).toEqual([]);
    expect(redact('abc')).toBe('abc');
  });

  it('gives the runner every encoding to mask, each once', () => {
    const { forms } = collectSecrets(['plain', 'plain']);
    expect(forms).toEqual(['cGxhaW46', 'cGxhaW4=', 'cGxhaW', 'BsYWlu', 'wbGFpb', 'plain']);
  });

  it.each(['base64', 'base64url'] as const)('redacts a key anywhere in a text that is encoded as %s', (encoding) => {
    const bytes = fc.uint8Array({ maxLength: 5 });
    fc.assert(
      fc.property(aSecret(), bytes, bytes, (secret, before, after) => {
        const text = Buffer.concat([before, Buffer.from(secret), after]).toString(encoding);
        const left = Buffer.from(collectSecrets([secret]).redact(text).replaceAll('***', ''), encoding);
        expect(left.length).toBeLessThanOrEqual(before.length + after.length + 2);
      }),
    );
  });

  it('does not change a text without secrets', () => {
    fc.assert(
      fc.property(aSecret(), fc.string(), (secret, text) => {
        fc.pre(formsOf(secret).every((form) => !text.includes(form)));
        expect(collectSecrets([secret]).redact(text)).toBe(text);
      }),
    );
  });

  it('leaves no encoding of any secret in any text', () => {
    fc.assert(
      fc.property(
        fc
          .array(aSecret(), { minLength: 1, maxLength: 3 })
          .chain((secrets) => fc.tuple(fc.constant(secrets), textAround(secrets.flatMap(formsOf)))),
        ([secrets, text]) => {
          const clean = collectSecrets(secrets).redact(text);
          for (const form of secrets.flatMap(formsOf)) expect(clean).not.toContain(form);
        },
      ),
    );
  });
});
