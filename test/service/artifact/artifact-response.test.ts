import { describe, expect, it } from '@jest/globals';
import { toArtifactResponse } from '../../../src/service/artifact/artifact-response.ts';
import type { CountedAttestation } from '../../../src/service/attestation/attestation.ts';
import { Links } from '../../../src/service/platform/links.ts';
import { sampleArtifact } from '../../support/service-samples.ts';

describe('the response for an artifact', () => {
  it('has all of its evidence, however much an older service accepted', () => {
    const of = { org: 'acme', flow: 'web', createdAt: 1, reportedBy: 'ann' };
    const evidence = Array.from({ length: 150_000 }, (_, index): CountedAttestation => ({
      ...{
        ...of,
        trail: 'main',
        id: `a${index}`,
        name: `n${index}`,
        type: 'sonar',
        verdict: 'compliant',
        reason: 'good',
        faults: [],
        level: 'artifact',
      },
      ...{ sequence: index + 1, createdAt: index },
    }));
    const artifact = { ...of, id: 'a', report: sampleArtifact() };
    const applied = { owner: 'flow', template: [] } as const;
    const details = { applied, artifact, evidence, history: [], appearances: [], firstStarts: new Map() };
    const answer = toArtifactResponse(details, new Links(() => 'http://localhost', '/api/v2'));
    expect([Object.keys(answer.evidence ?? {}).length, answer.last_modified_at]).toEqual([150_000, '149999']);
  });
});
