import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TString } from 'typebox';
import { reportArtifact } from '../../src/contract/artifact-report.ts';
import { conforms, violations } from '../../src/contract/check.ts';
import { templateItem } from '../../src/contract/flow.ts';
import {
  abbreviatedFingerprint,
  attestationId,
  attestationName,
  bareFingerprint,
  commitSha,
  environmentName,
  fingerprint,
  flowName,
  orgName,
  policyName,
  templateReferenceName,
  trailName,
} from '../../src/contract/names.ts';
import { isMapping } from '../../src/runtime/untrusted-data.ts';
import { codePoint } from '../support/code-point.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';

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

  it('accepts what that pattern accepts', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern, 'u')), (name) => {
        expect(conforms(schema, name)).toBe(true);
      }),
    );
  });

  it('rejects everything else', () => {
    const regularExpression = new RegExp(pattern, 'u');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: codePoint }), fc.anything()), (name) => {
        expect(conforms(schema, name)).toBe(typeof name === 'string' && regularExpression.test(name));
      }),
    );
  });

  it('rejects a line break at its end', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern, 'u')), (name) => {
        expect(conforms(schema, `${name}\n`)).toBe(false);
      }),
    );
  });
});

describe('the length of a name', () => {
  it.each([
    ['an organization', orgName],
    ['a flow', flowName],
    ['a trail', trailName],
    ['an environment', environmentName],
    ['a policy', policyName],
    ['an artifact of a template', templateReferenceName],
  ])('is at most 255 characters: %s', (_what, schema) => {
    expect(conforms(schema, 'a'.repeat(255))).toBe(true);
    expect(violations(schema, 'a'.repeat(256))).toEqual([
      { field: '', rule: 'must not have more than 255 characters' },
    ]);
  });

  it('is at most that of two names and a dot: an attestation', () => {
    expect(conforms(attestationName, `${'a'.repeat(255)}.${'b'.repeat(255)}`)).toBe(true);
    expect(conforms(attestationName, 'a'.repeat(512))).toBe(false);
  });
});

describe('the texts of a request', () => {
  it.each(
    [...interfaceEndpoints, reportArtifact].flatMap(({ title, body }) =>
      body.kind === 'none' ? [] : [[title, body] as const],
    ),
  )('all have a maximum length or a pattern that limits it: %s', (_title, body) => {
    expect(unlimitedTexts(body.kind === 'json' ? body.schema : body.json.schema)).toEqual([]);
  });
});

/** Where a schema takes a text of any length, as dotted keys. Data of free form is none. */
function unlimitedTexts(schema: unknown, path = ''): readonly string[] {
  if (!isMapping(schema)) return [];
  const { type, maxLength, pattern, properties, items, additionalProperties, anyOf } = schema;
  const isLimited = maxLength !== undefined || (typeof pattern === 'string' && /\{\d+\}\$$/u.test(pattern));
  const members: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  return [
    ...(type === 'string' && !('const' in schema) && !isLimited ? [path] : []),
    ...(isMapping(properties) ? Object.entries(properties) : []).flatMap(([key, value]) =>
      unlimitedTexts(value, `${path}.${key}`),
    ),
    ...[items, additionalProperties, ...members].flatMap((value) => unlimitedTexts(value, `${path}.*`)),
  ];
}

describe('the names without a pattern in the interface', () => {
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
    'is not derived from %j',
    (text) => {
      expect(bareFingerprint(text)).toBe(text);
    },
  );
});
