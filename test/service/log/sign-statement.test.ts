import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { renderVerifierKey } from '../../../src/runtime/transparency-log/verifier-key.ts';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { signStatement } from '../../../src/service/log/sign-statement.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';
import { verifyBundle } from '../../support/verify-bundle.ts';

const [key, other] = sampleSigningKeys as [(typeof sampleSigningKeys)[0], (typeof sampleSigningKeys)[0]];
const name = 'compliance.example.com/log/acme';
const text = fc.string({ unit: 'grapheme' });
const statements = fc.record({
  subject: fc.record({ name: text, digest: fc.record({ sha256: fc.string({ minLength: 1 }) }) }),
  predicateType: fc.string().map((path) => `https://example.com/${path}`),
  predicate: fc.dictionary(text, fc.jsonValue()),
});

describe('a signed statement', () => {
  it('is verified by a library of Sigstore, and has what was signed', () => {
    fc.assert(
      fc.property(statements, (statement) => {
        const bundle: unknown = JSON.parse(signStatement(statement, name, key));
        const { subject, ...others } = statement;
        const read = verifyBundle(bundle, name, key);
        const said = { _type: 'https://in-toto.io/Statement/v1', subject: [subject], ...others };
        expect(read).toEqual(JSON.parse(JSON.stringify(said)));
        expect(bundle).toMatchObject({
          mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
          verificationMaterial: { publicKey: { hint: renderVerifierKey(name, key).split('+')[1] } },
        });
      }),
      { numRuns: 50 },
    );
  });

  it('is refused if any byte of it is another one, or another key signed it', () => {
    const statement = { subject: { digest: { sha256: 'ab' } }, predicateType: 'https://example.com', predicate: {} };
    const signed = signStatement(statement, name, key);
    const payload = Buffer.from(String(valueAt(JSON.parse(signed), 'dsseEnvelope', 'payload')), 'base64');
    fc.assert(
      fc.property(fc.nat(payload.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const altered = Buffer.from(payload);
        altered.writeUInt8(altered.readUInt8(place) ^ change, place);
        const bundle: unknown = JSON.parse(signed.replace(payload.toString('base64'), altered.toString('base64')));
        expect(() => verifyBundle(bundle, name, key)).toThrow('signature verification failed');
      }),
      { numRuns: 50 },
    );
    expect(() => verifyBundle(JSON.parse(signed), name, other)).toThrow('is unknown');
    const [hint, otherHint] = [key, other].map((each) => renderVerifierKey(name, each).split('+')[1] ?? '');
    const renamed: unknown = JSON.parse(signed.replaceAll(hint ?? '', otherHint ?? ''));
    expect(() => verifyBundle(renamed, name, other)).toThrow('signature verification failed');
  });
});
