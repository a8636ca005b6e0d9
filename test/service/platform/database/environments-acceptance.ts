import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type {
  EnvironmentReport,
  EnvironmentToSave,
  RecordReportResult,
} from '../../../../src/service/environment/environment-use-cases.ts';
import type { PolicyRules } from '../../../../src/service/policy/policy-rules.ts';
import { toRunningArtifacts } from '../../../../src/service/snapshot/running-artifact.ts';
import type { SnapshotSummary } from '../../../../src/service/snapshot/snapshot.ts';
import { pod } from '../../../support/environment-samples.ts';
import type { Records } from '../../../support/records.ts';
import { fingerprintOf, sampleArtifact } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for environments, their snapshots and policies. */
export function describeEnvironments(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;

    const environment = (change: Partial<EnvironmentToSave> = {}): EnvironmentToSave => ({
      org: 'acme',
      name: 'prod',
      kind: 'K8S',
      user: 'ann',
      ...change,
    });
    const reportOf = (
      images: Readonly<Record<string, string>>,
      change: Partial<EnvironmentReport> = {},
    ): EnvironmentReport => ({
      org: 'acme',
      environment: 'prod',
      kind: 'K8S',
      artifacts: toRunningArtifacts([pod('pod-1', images)], ['podName']),
      ...change,
    });
    const report = (images: Readonly<Record<string, string>>, at: number, to = 'prod'): Promise<RecordReportResult> =>
      records.recordReport(reportOf(images, { environment: to }), at);
    const rules = (required: boolean): PolicyRules => ({
      _schema: 'https://example.com/v1',
      artifacts: { provenance: { required, exceptions: [{ if: '${{ artifact.name == "allowed" }}' }] } },
    });
    const savePolicy = (policy = 'strict', required = true, at = 5): ReturnType<Records['savePolicy']> =>
      records.savePolicy(
        { org: 'acme', name: policy, comment: 'c', text: 'the text', rules: rules(required), user: 'ann' },
        at,
      );
    const change = (policies: readonly string[], of = 'prod') => ({
      org: 'acme',
      environment: of,
      policies,
      user: 'ann',
    });
    const list = async (of = 'prod'): Promise<readonly SnapshotSummary[]> => {
      const part = { offset: 0, limit: 1000, ascending: true };
      const found = await records.listSnapshots({ org: 'acme', environment: of, part, now: 1000 });
      if (found === undefined) throw new Error('environment not found');
      return found;
    };
    const verdicts = async (of = 'prod'): Promise<(boolean | null)[]> =>
      (await list(of)).map(({ compliant }) => compliant);

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganization('acme', 1);
      await records.createOrganization('other', 1);
      await records.saveEnvironment(environment(), 2.5);
    });
    afterEach(async () => {
      await tested.remove();
    });

    describe('environments', () => {
      it('keep what an update omits, when they were created, and each member once', async () => {
        const all = environment({ name: 'all', kind: 'logical' });
        await records.saveEnvironment(environment({ name: 'stage' }), 3);
        await records.saveEnvironment({ ...all, members: ['stage', 'prod', 'prod'] }, 4);
        await records.saveEnvironment({ ...all, description: 'All' }, 6);
        expect(await records.findEnvironment('acme', 'all')).toMatchObject({
          ...{ description: 'All', members: ['prod', 'stage'], lastModifiedAt: 6 },
        });
        expect(await records.findCreationTime('environment', 'all')).toBe(4);
      });

      it('of other organizations are unknown', async () => {
        await savePolicy();
        expect(await records.findEnvironment('other', 'prod')).toBeUndefined();
        expect(await records.recordReport(reportOf({}, { org: 'other' }), 3)).toEqual({
          outcome: 'environment not found',
        });
        const foreign = { org: 'other', kind: 'logical', name: 'all' } as const;
        expect(await records.saveEnvironment(environment({ ...foreign, members: ['prod'] }), 3)).toEqual({
          outcome: 'member not found',
          member: 'prod',
        });
        expect(await records.saveEnvironment(environment({ ...foreign, policies: ['strict'] }), 3)).toMatchObject({
          outcome: 'policy not found',
        });
        const missing = { isEnvironmentMissing: true, missingPolicies: ['strict'] };
        expect(await records.attachPolicies({ ...change(['strict']), org: 'other' }, 4)).toEqual(missing);
      });
    });

    describe('snapshots', () => {
      it.each([
        [20, 2],
        [19, 1],
        [9, 0],
      ])('are found by the time %d: snapshot %d', async (time, expected) => {
        for (const [index, image] of ['aaaaa', 'bbbbb', 'ccccc'].entries())
          await report({ web: image }, 10 + index * 10);
        const reading = { environment: 'prod', selector: { kind: 'time', time } } as const;
        const found = await records.findSnapshot('acme', [reading], 35.5);
        expect(found.outcome === 'found' ? found.snapshot.number : 0).toBe(expected);
      });

      it('form a series without gaps after any sequence of changes', async () => {
        await records.saveFlow(
          { org: 'acme', name: 'web', description: '', visibility: null, template: [], repoUrl: null },
          1,
        );
        await records.saveEnvironment(environment({ name: 'stage' }), 1);
        await records.saveEnvironment(environment({ name: 'all', kind: 'logical', members: ['prod', 'stage'] }), 1);
        await savePolicy();
        let made = 0;
        const id = (): string => `00000000-0000-0000-0000-${String((made += 1)).padStart(8, '0')}`;
        const places = fc.constantFrom('prod', 'stage', 'all');
        const image = fc.constantFrom('aaaaa', 'bbbbb', 'ccccc');
        const action = fc.oneof(
          fc.tuple(places, fc.dictionary(fc.constantFrom('web', 'api', 'allowed'), image)).map(
            ([to, images]) =>
              (at: number) =>
                report(images, at, to),
          ),
          places.map((of) => (at: number) => records.attachPolicies(change(['strict'], of), at)),
          places.map((of) => (at: number) => records.detachPolicies(change(['strict'], of), at)),
          fc.boolean().map((required) => (at: number) => savePolicy('strict', required, at)),
          image.map((digits) => (at: number) => {
            const sent = sampleArtifact({ fingerprint: fingerprintOf(digits) });
            return records.recordArtifact({
              org: 'acme',
              flow: 'web',
              id: id(),
              createdAt: at,
              reportedBy: 'ann',
              report: sent,
            });
          }),
          fc
            .subarray(['prod', 'stage'])
            .map(
              (members) => (at: number) =>
                records.saveEnvironment(environment({ name: 'all', kind: 'logical', members }), at),
            ),
        );
        const step = fc.tuple(action, fc.double({ min: 0, max: 500, noNaN: true }));
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
            // Asked for at once, so that they share commits as requests do.
            await Promise.all(steps.map(([act, at]) => act(at)));
            for (const place of ['prod', 'stage', 'all']) {
              const series = await list(place);
              expect(series.map(({ number }) => number)).toEqual(series.map((_, index) => index + 1));
              expect(series.map(({ to }) => to)).toEqual(
                [...series.slice(1).map(({ from }) => from), undefined].slice(0, series.length),
              );
              expect((await records.findEnvironment('acme', place))?.latest).toBe(series.length);
            }
          }),
          { numRuns: 30 },
        );
      });
    });

    describe('policies', () => {
      it('return the text of the latest version, and of earlier ones up to the limit', async () => {
        const text = 'x'.repeat(9 * 1024 * 1024);
        const version = { org: 'acme', name: 'long', comment: '', text, rules: rules(true), user: 'ann' };
        await records.savePolicy(version, 1);
        const { policy } = await records.savePolicy(version, 2);
        expect(policy.versions.map((told) => told.text?.length)).toEqual([undefined, text.length]);
      });

      it('judge what runs, and every change to them creates a snapshot', async () => {
        await savePolicy();
        await report({ web: 'aaaaa' }, 10);
        expect(await records.attachPolicies(change(['strict']), 11)).toBe('changed');
        expect(await records.attachPolicies(change(['strict']), 12)).toBe('changed');
        await savePolicy('strict', false, 13);
        expect(await records.detachPolicies(change(['strict']), 14)).toBe('changed');
        expect(await records.detachPolicies(change(['strict']), 15)).toBe('changed');
        expect(await verdicts()).toEqual([null, false, true, null]);
      });
    });
  });
}
