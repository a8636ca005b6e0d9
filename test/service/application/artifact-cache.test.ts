import { describe, expect, it } from '@jest/globals';
import { weighArtifact } from '../../../src/service/application/artifact-cache.ts';
import type { ArtifactDetails, Flow } from '../../../src/service/domain/records.ts';
import type { FileTemplate } from '../../../src/service/domain/template/template.ts';
import { sampleArtifact } from '../../support/service-samples.ts';

describe('the weight of an artifact in the cache', () => {
  const long = 'x'.repeat(100_000);
  const file: FileTemplate = { text: long, attestations: [], artifacts: [] };

  const createDetails = (change: Partial<Flow> = {}, own?: FileTemplate): ArtifactDetails => {
    const names = { org: 'acme', name: 'web', description: '', visibility: undefined, repoUrl: undefined };
    const flow: Flow = { ...names, template: ['unit'], createdAt: 1, lastModifiedAt: 1, ...change };
    const report = sampleArtifact();
    return {
      flow,
      applied: own === undefined ? { owner: 'flow', template: flow.template } : { owner: 'trail', template: own },
      artifact: { org: 'acme', flow: 'web', id: 'one', createdAt: 1, reportedBy: 'ann', report },
      ...{ evidence: [], history: [], appearances: [] },
    };
  };

  it('is small for a usual one', () => {
    expect(weighArtifact(createDetails())).toBeLessThan(2000);
  });

  it.each([
    ['the list of its flow', createDetails({ template: [long] })],
    ['the file of its flow', createDetails({ template: file })],
    ['the description of its flow', createDetails({ description: long })],
    ['the file of its trail', createDetails({}, file)],
    ['the file of its flow, which does not apply', createDetails({ template: file }, { ...file, text: '' })],
  ])('counts %s', (_what, details) => {
    expect(weighArtifact(details)).toBeGreaterThan(long.length);
  });
});
