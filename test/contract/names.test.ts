import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TString } from 'typebox';
import { conforms } from '../../src/contract/check.ts';
import { templateItem } from '../../src/contract/flow.ts';
import {
  abbreviatedFingerprint,
  attestationId,
  attestationName,
  bareFingerprint,
  commitSha,
  fingerprint,
  flowName,
  orgName,
  templateReferenceName,
  trailName,
} from '../../src/contract/names.ts';

/** The patterns as the interface writes them, and the two rules that it says in words. */
const rules: readonly (readonly [string, TString, string])[] = [
  ['a flow name', flowName, String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`],
  ['a trail name', trailName, String.raw`^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$`],
  ['a template item', templateItem, String.raw`^[a-zA-Z0-9\-_,]+$`],
  ['a template reference name', templateReferenceName, String.raw`^[a-zA-Z0-9\-_]+$`],
  ['a fingerprint in a path', abbreviatedFingerprint, '^[a-f0-9]{5,64}$'],
  ['an attestation id', attestationId, '^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$'],
  ['a whole fingerprint', fingerprint, '^[a-f0-9]{64}$'],
  ['the SHA-1 of a commit', commitSha, '^[a-f0-9]{40}$'],
];

/** Two ways to write the same: a dot needs no backslash within brackets. */
function plain(pattern: string): string {
  return pattern.replaceAll(String.raw`\.`, '.');
}

describe.each(rules)('%s', (_name, schema, pattern) => {
  it("has the interface's pattern", () => {
    expect(plain(String((schema as { pattern?: unknown }).pattern))).toBe(plain(pattern));
  });

  it('takes what that pattern takes', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern, 'u')), (name) => {
        expect(conforms(schema, name)).toBe(true);
      }),
    );
  });

  it('takes nothing else', () => {
    const regularExpression = new RegExp(pattern, 'u');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.anything()), (name) => {
        expect(conforms(schema, name)).toBe(typeof name === 'string' && regularExpression.test(name));
      }),
    );
  });

  it('takes no line break at its end', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern, 'u')), (name) => {
        expect(conforms(schema, `${name}\n`)).toBe(false);
      }),
    );
  });
});

describe('the names that the interface gives no pattern for', () => {
  it('are one path segment: an organization', () => {
    expect(['acme', 'acme-2.dev', 'A_b~c'].every((name) => conforms(orgName, name))).toBe(true);
    expect(['', '.', '..', 'a/b', 'a b', '-acme', 'größe'].some((name) => conforms(orgName, name))).toBe(false);
  });

  it('are one or two template names: an attestation', () => {
    expect(['sonar', 'web.unit', 'a-b_c.d'].every((name) => conforms(attestationName, name))).toBe(true);
    expect(['', '.', 'a.', '.b', 'a.b.c', 'a,b', 'a b'].some((name) => conforms(attestationName, name))).toBe(false);
  });
});

describe('a bare fingerprint', () => {
  const digits = fc.stringMatching(/^[0-9a-f]{1,64}$/u);

  it('is the lowercase digits, whatever their case, with and without `sha256:`', () => {
    fc.assert(
      fc.property(digits, fc.constantFrom('', 'sha256:', 'SHA256:'), fc.boolean(), (hex, prefix, isUpper) => {
        expect(bareFingerprint(prefix + (isUpper ? hex.toUpperCase() : hex))).toBe(hex);
      }),
    );
  });

  it.each(['', 'sha256:', 'sha256:sha256:ab', 'sha512:ab', 'web@sha256:ab', 'ab ', 'xyz', 'sha256: ab'])(
    'is not made of %j',
    (text) => {
      expect(bareFingerprint(text)).toBe(text);
    },
  );
});
