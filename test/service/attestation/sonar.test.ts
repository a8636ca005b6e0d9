import { describe, expect, it } from '@jest/globals';
import { revisionDoubt } from '../../../src/service/attestation/sonar.ts';
import { sampleAttestation } from '../../support/service-samples.ts';

describe('the doubt about the revision of a Sonar attestation', () => {
  const doubtOf = (revision: string | undefined, data?: Record<string, unknown>): string | undefined => {
    const { sonar_results: results } = sampleAttestation('OK');
    const own = revision === undefined ? results : { ...results, revision };
    return revisionDoubt(sampleAttestation('OK', { sonar_results: own, ...(data && { user_data: data }) }));
  };

  it.each([
    ['a', undefined, undefined],
    ['a', { revision_verified: true }, undefined],
    ['a', { revision_verified: 'false' }, undefined],
    ['a', { revision_verified: false }, 'the attestation does not say why'],
    [undefined, { revision_verified: false, revision_unverified_reason: 'Sonar said 403.' }, 'Sonar said 403.'],
    [undefined, { revision_verified: false, revision_unverified_reason: 7 }, 'the attestation does not say why'],
    [undefined, { revision_verified: true }, 'the attestation does not name the analysed commit'],
    [undefined, undefined, 'the attestation does not name the analysed commit'],
    ['', {}, 'the attestation does not name the analysed commit'],
  ])('with the revision %j and the data %j is %j', (revision, data, doubt) => {
    expect(doubtOf(revision, data)).toBe(doubt);
  });
});
