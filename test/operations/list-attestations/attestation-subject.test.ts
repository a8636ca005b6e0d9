import { describe, expect, it } from '@jest/globals';
import type { ListedAttestation } from '../../../src/contract/attestation-list.ts';
import { toAttestationSubject } from '../../../src/operations/list-attestations/attestation-subject.ts';

const page = 'https://compliance.example.com/acme/flows/web/trails/v1.2~3?attestation_id=1';

describe('what an attestation is about', () => {
  it.each<[string, Partial<ListedAttestation>, string | undefined]>([
    ['its field', { trail_name: 'main', html_url: page }, 'main'],
    ['the page of the trail', { html_url: page }, 'v1.2~3'],
    ['the page of the trail, where the field is null', { trail_name: null, html_url: page }, 'v1.2~3'],
    ['the page of the trail, where the field is empty', { trail_name: '', html_url: page }, 'v1.2~3'],
    [
      'a page below that of the trail',
      { html_url: 'http://[::1]:8080/acme/flows/web/trails/main/attestations/7' },
      'main',
    ],
    ['a page below a prefix', { html_url: 'https://x.example/flows/acme/flows/web/trails/main' }, 'main'],
    ['an encoded name', { html_url: 'https://x.example/acme/flows/web/trails/a%20b' }, 'a b'],
    ['nothing: no page', {}, undefined],
    ['nothing: null', { html_url: null }, undefined],
    ['nothing: no address', { html_url: 'flows/web/trails/main' }, undefined],
    ['nothing: another page', { html_url: 'https://x.example/attestations/7' }, undefined],
    ['nothing: a page without a trail', { html_url: 'https://x.example/acme/flows/web/trails/' }, undefined],
    ['nothing: a query', { html_url: 'https://x.example/?next=/flows/web/trails/main' }, undefined],
    ['nothing: a broken name', { html_url: 'https://x.example/acme/flows/web/trails/%ff' }, undefined],
  ])('has its trail from %s', (_source, fields, trail) => {
    expect(toAttestationSubject({ attestation_id: '1', attestation_name: 'unit', ...fields })?.trail).toBe(trail);
  });

  it.each<[Partial<ListedAttestation>, string]>([
    [{ artifact_fingerprint: 'f'.repeat(64), target_artifacts: ['web'] }, 'f'.repeat(64)],
    [{ artifact_fingerprint: null, target_artifacts: ['web', 'api'] }, 'api, web'],
    [{ target_artifacts: null }, ''],
    [{}, ''],
  ])('has its artifact from %j', (fields, artifact) => {
    expect(
      toAttestationSubject({ attestation_id: '1', attestation_name: 'unit', trail_name: 'main', ...fields }),
    ).toEqual({
      ...{ trail: 'main', name: 'unit', artifact },
    });
  });

  it.each([undefined, ''])('is not known without a name: %j', (name) => {
    const named = name === undefined ? {} : { attestation_name: name };
    expect(toAttestationSubject({ attestation_id: '1', trail_name: 'main', ...named })).toBeUndefined();
  });
});
