import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { toReportScopes } from '../../../src/service/domain/evidence-scope.ts';
import { podsToElements, toRunningArtifacts } from '../../../src/service/domain/environment/running-artifact.ts';
import type { ReportedArtifact } from '../../../src/service/domain/records.ts';
import {
  ComposedReportContextReader,
  type ContextLimits,
  type ReportContext,
} from '../../../src/service/storage/report-contexts.ts';
import type { Records } from '../../support/records.ts';
import { fingerprintOf, sampleArtifact, sampleAttestation } from '../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for contexts of reports. */
export function describeReportContexts(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    const fingerprint = fingerprintOf('abcdef');
    const template = { text: 'version: 1\n', attestations: [{ name: 'unit', type: '*' }], artifacts: [] };
    const rest = { description: '', visibility: undefined };

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      for (const org of ['acme', 'other']) {
        await records.createOrganization(org, 1);
        await records.saveFlow({ org, name: 'web', ...rest, template: [], repoUrl: undefined }, 2);
      }
    });
    afterEach(() => tested.remove());

    const attest = (number: number, org: string, attestation: string, artifact?: string): Promise<unknown> => {
      const document = sampleAttestation('OK', {
        attestation_name: attestation,
        ...(artifact === undefined ? {} : { artifact_fingerprint: artifact }),
      });
      return records.recordAttestation({
        ...{ org, flow: 'web', trail: 'main', id: `attestation-${number}`, name: attestation, type: 'sonar' },
        ...{ verdict: 'compliant', reason: 'the quality gate is OK', createdAt: 10 + number / 4, reportedBy: 'ann' },
        ...{
          document,
          ...(number === 3 ? { attachment: { filename: 'a.xml', digest: 'd'.repeat(64), size: 3 } } : {}),
        },
      });
    };
    const reportOf = (change: Partial<ReportedArtifact> & { readonly artifact?: string } = {}): ReportedArtifact => {
      const { artifact = fingerprint, ...others } = change;
      return {
        ...{ org: 'acme', flow: 'web', id: `report-of-${artifact}`, createdAt: 5, reportedBy: 'ann' },
        report: sampleArtifact({ fingerprint: artifact, template_reference_name: 'web' }),
        ...others,
      };
    };
    const run = async (environment: string, at: number, running: boolean): Promise<void> => {
      await records.saveEnvironment({ org: 'acme', name: environment, kind: 'K8S', description: '', user: 'ann' }, 3);
      const digests = running ? { web: fingerprint } : {};
      const pods = [{ podName: 'web', namespace: 'shop', digests, creationTimestamp: 1 }];
      const artifacts = toRunningArtifacts(podsToElements({ artifacts: running ? pods : [] }));
      await records.recordReport({ org: 'acme', environment, kind: 'K8S', artifacts }, at);
    };
    const fill = async (): Promise<void> => {
      await records.beginTrail({ org: 'acme', flow: 'web', name: 'main', report: {}, template }, 4);
      for (const org of ['acme', 'other']) await records.recordArtifact(reportOf({ org }));
      // Of the trail, of the artifact in the trail, and of the fingerprint, each several times.
      const names = ['unit', 'web.unit', 'sonar', 'unit', 'web.unit', 'api.unit'];
      for (const [number, each] of names.entries()) await attest(number, 'acme', each);
      await attest(6, 'acme', 'sonar', fingerprint);
      await attest(7, 'acme', 'unit', fingerprint);
      await attest(8, 'other', 'unit', fingerprint);
      await run('production', 20, true);
      await run('staging', 21, true);
      await run('staging', 22, false);
    };

    /** The context as it is read, and as the other repositories return it. */
    const read = async (
      artifact: ReportedArtifact,
      limits: ContextLimits,
    ): Promise<{ readonly context: ReportContext; readonly composed: ReportContext }> => {
      const { org, flow, report } = artifact;
      const { trail_name: trail, fingerprint: digits } = report;
      const place = { org, flow, trail, fingerprint: digits, scopes: toReportScopes(artifact) };
      return records.storage.read(async (transaction) => ({
        context: await transaction.reportContexts.read(place, limits),
        composed: await new ComposedReportContextReader(transaction).read(place, limits),
      }));
    };

    it('have the template, the evidence and the appearances of the artifact', async () => {
      await fill();
      ({ records } = await tested.reopen());
      const { context, composed } = await read(reportOf(), { history: 20, appearances: 100 });
      expect(context).toEqual(composed);
      expect(context.template).toEqual(template);
      expect(context.history.map(({ id }) => id)).toEqual(
        [7, 6, 4, 3, 2, 1, 0].map((number) => `attestation-${number}`),
      );
      const current = [...context.current].map(([scope, found]) => [
        scope,
        found.map(({ sequence }) => sequence).sort(),
      ]);
      expect(Object.fromEntries(current)).toEqual({
        [`fingerprint/${fingerprint}`]: [7, 8],
        'trail/main': [3, 4],
        'target/main/web/': [5],
      });
      expect(context.appearances.map(({ environment, exitedAt }) => [environment, exitedAt])).toEqual([
        ['production', undefined],
        ['staging', 22],
      ]);
    });

    it('end where the limits say', async () => {
      await fill();
      const { context, composed } = await read(reportOf(), { history: 2, appearances: 1 });
      expect(context).toEqual(composed);
      expect(context.history.map(({ sequence }) => sequence)).toEqual([8, 7]);
      expect(context.appearances).toHaveLength(1);
    });

    it('have nothing of other organizations, and may be empty', async () => {
      await fill();
      const { context: foreign } = await read(reportOf({ org: 'other' }), { history: 20, appearances: 100 });
      expect(foreign.history.map(({ org, sequence }) => [org, sequence])).toEqual([['other', 1]]);
      expect(foreign.template).toBeUndefined();
      expect(foreign.appearances).toEqual([]);
      const unknown = reportOf({ artifact: fingerprintOf('bbb'), report: sampleArtifact({ trail_name: 'none' }) });
      const empty = { template: undefined, current: new Map(), history: [], appearances: [] };
      const other = { ...unknown, report: { ...unknown.report, fingerprint: fingerprintOf('bbb') } };
      expect((await read(other, { history: 20, appearances: 100 })).context).toEqual(empty);
    });
  });
}
