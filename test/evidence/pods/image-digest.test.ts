import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { imageDigest } from '../../../src/evidence/pods/image-digest.ts';

const hex = fc.stringMatching(/^[a-f0-9]{64}$/u);
const repository = fc.stringMatching(/^[a-z0-9.:/_-]{1,40}$/u);

describe('imageDigest', () => {
  it('finds the digest in every form that runtimes print', () => {
    fc.assert(
      fc.property(hex, repository, fc.constantFrom('', 'docker-pullable://', 'docker://'), (digest, name, scheme) => {
        expect(imageDigest(`${scheme}${name}@sha256:${digest}`)).toBe(digest);
        expect(imageDigest(`${scheme}sha256:${digest}`)).toBe(digest);
      }),
    );
  });

  it('is undefined if there is none', () => {
    const digest = 'a'.repeat(64);
    for (const imageId of [
      '',
      'registry.example.com/web:1',
      `sha512:${digest}${digest}`,
      `sha256:${digest.slice(1)}`,
      `sha256:${digest}a`,
      `sha256:${digest.toUpperCase()}`,
      `sha256:${digest}\n`,
      `websha256:${digest}`,
    ]) {
      expect(imageDigest(imageId)).toBeUndefined();
    }
  });
});
