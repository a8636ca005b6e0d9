import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Links } from '../../../src/service/platform/links.ts';
import { codePoint } from '../../support/code-point.ts';

describe('the links of a service', () => {
  it('encode every segment', () => {
    const links = new Links(() => 'https://compliance.example.com', '/api/v2');
    fc.assert(
      fc.property(fc.string({ unit: codePoint, minLength: 1 }), (name) => {
        fc.pre(name.isWellFormed() && !/^\.{1,2}$/.test(name));
        const segments = new URL(links.pages.trail('acme', name, name)).pathname.split('/').map(decodeURIComponent);
        expect(segments).toEqual(['', 'acme', 'flows', name, 'trails', name]);
      }),
    );
  });

  it('follow the address of the service as it is when they are made', () => {
    let origin = 'http://one';
    const links = new Links(() => origin, '/api/v2');
    origin = 'http://two';
    expect(links.artifactApi('acme', 'web', 'abc', 'id')).toBe(
      'http://two/api/v2/artifacts/acme/web/fingerprint/abc?attestation_id=id',
    );
    expect(links.pages.artifact('acme', 'web', 'abc', 'id')).toBe(
      'http://two/acme/flows/web/artifacts/abc?artifact_id=id',
    );
    expect(links.pages.attachment('acme', 'web', 'main', 'id')).toBe(
      'http://two/acme/flows/web/trails/main/attestations/id/attachment',
    );
  });
});
