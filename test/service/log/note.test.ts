import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isLogOf, parseCheckpoint, toLogOrigin } from '../../../src/runtime/transparency-log/checkpoint.ts';
import { isSignedBy, parseVerifierKey, renderVerifierKey } from '../../../src/runtime/transparency-log/verifier-key.ts';
import { parseSigningKeys, signCheckpoint } from '../../../src/service/log/note.ts';

const [current, former] = [generateKeyPairSync('ed25519').privateKey, generateKeyPairSync('ed25519').privateKey];
const origin = 'compliance.example.com/log/acme';
const head = fc.record({ size: fc.maxSafeNat(), root: fc.uint8Array({ minLength: 32, maxLength: 32 }) });

describe('a checkpoint', () => {
  it('is read as it was signed, and has a signature of each key', () => {
    fc.assert(
      fc.property(
        head.filter(({ size }) => size < 1e15),
        (signed) => {
          const checkpoint = parseCheckpoint(signCheckpoint(origin, signed, [current, former]));
          if (checkpoint === undefined) throw new Error('not read');
          expect(checkpoint).toMatchObject({ origin, size: signed.size });
          expect(Buffer.from(checkpoint.root).equals(signed.root)).toBe(true);
          for (const key of [current, former]) {
            const verifier = parseVerifierKey(renderVerifierKey(origin, key));
            expect(verifier !== undefined && isSignedBy(checkpoint, verifier)).toBe(true);
            const other = parseVerifierKey(renderVerifierKey('other.example.com', key));
            expect(other !== undefined && isSignedBy(checkpoint, other)).toBe(false);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is not signed by a key if any byte of its text is another one', () => {
    const note = signCheckpoint(origin, { size: 7, root: new Uint8Array(32) }, [current]);
    const verifier = parseVerifierKey(renderVerifierKey(origin, current));
    const altered = parseCheckpoint(note.replace('\n7\n', '\n8\n'));
    expect(altered !== undefined && verifier !== undefined && isSignedBy(altered, verifier)).toBe(false);
  });

  it('is read with and without line breaks at its end', () => {
    const note = signCheckpoint(origin, { size: 7, root: new Uint8Array(32) }, [current]);
    for (const text of [note.trimEnd(), `${note}\n`]) expect(parseCheckpoint(text)).toEqual(parseCheckpoint(note));
  });

  it('is of the log of one organization', () => {
    const read = parseCheckpoint(signCheckpoint(origin, { size: 7, root: new Uint8Array(32) }, [current]));
    expect(['acme', 'cme', 'other'].map((org) => read !== undefined && isLogOf(read, org))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    '',
    'text',
    `${origin}\n7\n${Buffer.alloc(32).toString('base64')}\n`,
    `${origin}\n-7\n${Buffer.alloc(32).toString('base64')}\n\n— a AAAA\n`,
    `${origin}\n7\nAAAA\n\n— a AAAA\n`,
    `${origin}\n7\n${Buffer.alloc(32).toString('base64')}\n\nsigned by a\n`,
  ])('is not read from %j', (note) => {
    expect(parseCheckpoint(note)).toBeUndefined();
  });
});

describe('the keys of a log', () => {
  it('are not read from other texts', () => {
    const key = renderVerifierKey(origin, current);
    for (const text of ['', origin, key.replace('/log/', '/lag/'), `${key}x`])
      expect(parseVerifierKey(text)).toBeUndefined();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(parseSigningKeys(String(rsa))).toBeUndefined();
    expect(parseSigningKeys('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----')).toBeUndefined();
    expect(parseSigningKeys('')).toBeUndefined();
  });

  it('are read in their order', () => {
    const pem = [current, former].map((key) => key.export({ type: 'pkcs8', format: 'pem' })).join('\n');
    expect(parseSigningKeys(pem)?.map((key) => renderVerifierKey(origin, key))).toEqual(
      [current, former].map((key) => renderVerifierKey(origin, key)),
    );
  });

  it('are named after the address of the log', () => {
    expect(toLogOrigin('https://compliance.example.com', 'acme')).toBe(origin);
  });
});
