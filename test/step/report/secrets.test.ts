import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collectSecrets } from '../../../src/step/report/secrets.ts';
import { aSecret, formsOf, textAround } from '../../support/secret.ts';

describe('collectSecrets', () => {
  it('hides a key as it is, in a basic header, in an address, in JSON and in a summary', () => {
    const key = 'a"b&c/d+e';
    const { redact } = collectSecrets([key]);
    expect(redact(`Bearer ${key}.`)).toBe('Bearer ***.');
    expect(redact(`Basic ${Buffer.from(`${key}:`).toString('base64')}`)).toBe('Basic ***');
    expect(redact('https://x/?key=a%22b%26c%2Fd%2Be&more')).toBe('https://x/?key=***&more');
    expect(redact(JSON.stringify({ key }))).toBe('{"key":"***"}');
    expect(redact('<td>a&quot;b&amp;c/d+e</td>')).toBe('<td>***</td>');
  });

  it('hides a key that begins with another one whole', () => {
    const { redact } = collectSecrets(['secret', 'secret-and-more']);
    expect(redact('secret-and-more, secret')).toBe('***, ***');
  });

  it('does not take an empty text for a key', () => {
    const { forms, redact } = collectSecrets(['', '']);
    expect(forms).toEqual([]);
    expect(redact('abc')).toBe('abc');
  });

  it('gives the runner every form to mask, each once', () => {
    const { forms } = collectSecrets(['plain', 'plain']);
    expect(forms).toEqual(['cGxhaW46', 'cGxhaW4=', 'plain']);
  });

  it('leaves a text without secrets as it is', () => {
    fc.assert(
      fc.property(aSecret(), fc.string(), (secret, text) => {
        fc.pre(formsOf(secret).every((form) => !text.includes(form)));
        expect(collectSecrets([secret]).redact(text)).toBe(text);
      }),
    );
  });

  it('leaves no form of any secret in any text', () => {
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
