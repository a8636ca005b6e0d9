import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { smallTrailSize } from '../../../../../src/service/environment/environment-records.ts';
import { SqliteStorage } from '../../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { toRunningArtifacts } from '../../../../../src/service/snapshot/running-artifact.ts';
import { pod } from '../../../../support/environment-samples.ts';
import { Records } from '../../../../support/records.ts';
import { fingerprintOf, sampleArtifact, sampleAttestation } from '../../../../support/service-samples.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';

const org = 'acme';
const flow = 'web';

describe('evidence for a whole trail', () => {
  let folder: string;
  let storage: SqliteStorage;
  let records: Records;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-storage-'));
    storage = new SqliteStorage(folder, storageDependencies());
    records = new Records(storage);
    await records.createOrganization(org, 1);
    const rest = { description: '', visibility: undefined, repoUrl: undefined };
    await records.saveFlow({ org, name: flow, template: [], ...rest }, 1);
    await records.saveEnvironment({ org, name: 'prod', kind: 'K8S', user: 'ann' }, 1);
    await records.savePolicy(
      {
        ...{ org, name: 'strict', comment: '', text: '', user: 'ann' },
        rules: {
          _schema: 'https://example.com/v1',
          artifacts: { 'trail-compliance': { required: true, exceptions: [] } },
        },
      },
      1,
    );
    await records.attachPolicies({ org, environment: 'prod', policies: ['strict'], user: 'ann' }, 1);
  });
  afterEach(async () => {
    await storage.close();
    await rm(folder, { recursive: true });
  });

  const report = (number: number, trail = 'main'): Promise<unknown> => {
    const report = sampleArtifact({ fingerprint: fingerprintOf(number.toString(16)), trail_name: trail });
    return records.recordArtifact({ org, flow, id: `${trail}-${number}`, createdAt: 2, reportedBy: 'ann', report });
  };
  const attest = (id: string, trail: string): Promise<unknown> =>
    records.recordAttestation({
      ...{
        org,
        flow,
        trail,
        id,
        name: 'sonar',
        type: 'sonar',
        verdict: 'non-compliant',
        reason: 'it is red',
        faults: [],
      },
      ...{ createdAt: 5, reportedBy: 'ann', document: sampleAttestation('ERROR') },
    });
  const verdicts = async (): Promise<(boolean | null)[]> => {
    const part = { offset: 0, limit: 10, ascending: true };
    const found = await records.listSnapshots({ org, environment: 'prod', part, now: 10 });
    return (found ?? []).map(({ compliant }) => compliant);
  };

  it.each([smallTrailSize, smallTrailSize + 1])(
    'judges anew what runs of it, and nothing else, with %d artifacts in the trail',
    async (count) => {
      await Promise.all(Array.from({ length: count }, (_, number) => report(number)));
      await report(count, 'other');
      const running = pod('pod-1', { web: (count - 1).toString(16) });
      await records.recordReport(
        {
          org,
          environment: 'prod',
          kind: 'K8S',
          artifacts: toRunningArtifacts([running], ['podName']),
        },
        4,
      );
      await attest('first', 'other');
      expect(await verdicts()).toEqual([true]);
      await attest('second', 'main');
      expect(await verdicts()).toEqual([true, false]);
    },
  );

  it('judges anew what runs of it when it gets a template of its own', async () => {
    await report(1);
    await report(2, 'other');
    const artifacts = toRunningArtifacts([pod('pod-1', { web: '1' })], ['podName']);
    await records.recordReport({ org, environment: 'prod', kind: 'K8S', artifacts }, 4);
    const template = { text: '', attestations: [{ name: 'unit', type: '*' }], artifacts: [] };
    await records.beginTrail({ org, flow, name: 'other', report: {}, template }, 5);
    expect(await verdicts()).toEqual([true]);
    await records.beginTrail({ org, flow, name: 'main', report: {}, template }, 6);
    expect(await verdicts()).toEqual([true, false]);
  });
});
