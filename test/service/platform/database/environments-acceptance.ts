import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { triggers } from '../../../../src/contract/notification.ts';
import { podsToElements, toRunningArtifacts } from '../../../../src/service/snapshot/running-artifact.ts';
import type { SnapshotSummary } from '../../../../src/service/snapshot/snapshot.ts';
import type { PolicyRules } from '../../../../src/service/policy/policy-rules.ts';
import type {
  EnvironmentReport,
  EnvironmentToSave,
  RecordReportResult,
} from '../../../../src/service/environment/environment-use-cases.ts';
import { pod } from '../../../support/environment-samples.ts';
import { sampleNotification } from '../../../support/notification-samples.ts';
import { fingerprintOf, sampleArtifact } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';
import type { Records } from '../../../support/records.ts';

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
      artifacts: toRunningArtifacts(podsToElements({ artifacts: [pod('pod-1', images)] })),
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
      const page = { page: 1, size: 1000, ascending: true };
      const found = await records.listSnapshots({ org: 'acme', environment: of, page, now: 1000 });
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
      it('are returned as they were saved, and an update keeps omitted fields', async () => {
        await savePolicy();
        await records.saveEnvironment(environment({ name: 'stage', description: 'Before', policies: ['strict'] }), 3);
        await records.saveEnvironment(
          environment({ name: 'all', kind: 'logical', members: ['stage', 'prod', 'prod'] }),
          4,
        );
        await records.saveEnvironment(environment({ name: 'stage' }), 5);
        await records.saveEnvironment(environment({ name: 'all', kind: 'logical', description: 'All' }), 6);
        expect(await records.findEnvironment('acme', 'stage')).toEqual({
          org: 'acme',
          name: 'stage',
          kind: 'K8S',
          tags: {},
          isArchived: false,
          description: 'Before',
          ...{ members: [], policies: ['strict'], requiresProvenance: false },
          latest: 0,
          createdAt: 3,
          lastModifiedAt: 5,
        });
        expect(await records.findEnvironment('acme', 'all')).toMatchObject({
          description: 'All',
          members: ['prod', 'stage'],
        });
      });

      it('are rejected as a whole: a missing policy leaves no member and no description behind', async () => {
        const refused = environment({ name: 'all', kind: 'logical', members: ['prod'], policies: ['strict'] });
        expect(await records.saveEnvironment(refused, 3)).toEqual({ outcome: 'policy not found', policy: 'strict' });
        expect(await records.findEnvironment('acme', 'all')).toBeUndefined();
        expect(await records.saveEnvironment(environment({ kind: 'ECS', description: 'x' }), 3)).toEqual({
          outcome: 'of another kind',
          kind: 'K8S',
        });
        expect(await records.findEnvironment('acme', 'prod')).toMatchObject({ description: '', kind: 'K8S' });
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
      it('are created if different artifacts run', async () => {
        expect(await report({ web: 'aaaaa' }, 10.5)).toEqual({ outcome: 'snapshot made' });
        expect(await report({ web: 'aaaaa' }, 11)).toEqual({ outcome: 'nothing new' });
        expect(await report({ web: 'bbbbb' }, 12)).toEqual({ outcome: 'snapshot made' });
        expect(await list()).toEqual([
          { number: 1, from: 10.5, to: 12, compliant: null },
          { number: 2, from: 12, to: undefined, compliant: null },
        ]);
        ({ records } = await tested.reopen());
        expect(await report({ web: 'bbbbb' }, 13)).toEqual({ outcome: 'nothing new' });
      });

      it('are returned as they were created, for any expression', async () => {
        for (const [index, image] of ['aaaaa', 'bbbbb', 'ccccc'].entries())
          await report({ web: image }, 10 + index * 10);
        const numberOf = async (
          selector: Parameters<Records['findSnapshot']>[1][number]['selector'],
        ): Promise<number> => {
          const found = await records.findSnapshot('acme', [{ environment: 'prod', selector }], 35.5);
          return found.outcome === 'found' ? found.snapshot.number : 0;
        };
        expect(await numberOf({ kind: 'latest' })).toBe(3);
        expect(await numberOf({ kind: 'number', number: 2 })).toBe(2);
        expect(await numberOf({ kind: 'behind', count: 2 })).toBe(1);
        expect(await numberOf({ kind: 'behind', count: 3 })).toBe(0);
        expect(await numberOf({ kind: 'time', time: 20 })).toBe(2);
        expect(await numberOf({ kind: 'time', time: 19 })).toBe(1);
        expect(await numberOf({ kind: 'time', time: 9 })).toBe(0);
        expect(await numberOf({ kind: 'ago', seconds: 6 })).toBe(2);
        const found = await records.findSnapshot(
          'acme',
          [{ environment: 'prod', selector: { kind: 'number', number: 1 } }],
          40,
        );
        if (found.outcome !== 'found') throw new TypeError(found.outcome);
        expect([found.snapshot.from, await records.readRunning(found)]).toEqual([
          10,
          [
            {
              name: 'web',
              fingerprint: fingerprintOf('aaaaa'),
              instances: [{ namespace: 'shop', pod: 'pod-1', createdAt: 1_700_000_000 }],
            },
          ],
        ]);
      });

      it('of a logical environment contain each of its members as it was', async () => {
        await records.saveEnvironment(environment({ name: 'stage' }), 3);
        await report({ web: 'aaaaa' }, 10);
        await records.saveEnvironment(environment({ name: 'all', kind: 'logical', members: ['prod', 'stage'] }), 11);
        await report({ api: 'bbbbb' }, 12, 'stage');
        await report({ web: 'ccccc' }, 13);
        const namesAt = async (wanted: number): Promise<unknown> => {
          const reading = { environment: 'all', selector: { kind: 'number', number: wanted } } as const;
          const found = await records.findSnapshot('acme', [reading], 40);
          return found.outcome === 'found'
            ? (await records.readRunning(found)).map(({ fingerprint }) => fingerprint[0])
            : found;
        };
        expect([await namesAt(1), await namesAt(2), await namesAt(3)]).toEqual([['a'], ['b', 'a'], ['b', 'c']]);
        expect((await list('all')).map(({ from }) => from)).toEqual([11, 12, 13]);
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

      it('are on the computed page', async () => {
        for (let index = 0; index < 60; index += 1) await report({ web: index % 2 === 0 ? 'aaaaa' : 'bbbbb' }, index);
        const page = { page: 6, size: 10, ascending: false };
        const found = await records.listSnapshots({ org: 'acme', environment: 'prod', page, now: 100 });
        expect(found?.map(({ number }) => number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      });
    });

    describe('policies', () => {
      it('keep their versions and their history', async () => {
        expect((await savePolicy()).outcome).toBe('created');
        await records.attachPolicies(change(['strict']), 6);
        const { outcome, policy } = await savePolicy('strict', false, 7.5);
        expect(outcome).toBe('updated');
        expect(policy).toEqual({
          org: 'acme',
          name: 'strict',
          description: '',
          isArchived: false,
          createdAt: 5,
          createdBy: 'ann',
          lastModifiedAt: 7.5,
          environments: ['prod'],
          versions: [
            { version: 1, comment: 'c', createdBy: 'ann', createdAt: 5, text: 'the text' },
            { version: 2, comment: 'c', createdBy: 'ann', createdAt: 7.5, text: 'the text' },
          ],
          events: [
            { type: 'policy_created', timestamp: 5, user: 'ann', version: 1 },
            { type: 'policy_attached', timestamp: 6, user: 'ann', version: 1, environment: 'prod' },
            { type: 'policy_updated', timestamp: 7.5, user: 'ann', version: 2 },
          ],
        });
        ({ records } = await tested.reopen());
        expect(await records.findPolicy('acme', 'strict')).toEqual(policy);
        expect(await records.findPolicy('other', 'strict')).toBeUndefined();
      });

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
        const found = await records.findSnapshot(
          'acme',
          [{ environment: 'prod', selector: { kind: 'number', number: 2 } }],
          40,
        );
        expect(found).toMatchObject({
          snapshot: {
            judgement: {
              policies: [{ name: 'strict', version: 1 }],
              breaches: [
                {
                  policy: 'strict',
                  name: 'web',
                  fingerprint: fingerprintOf('aaaaa'),
                  reason: { about: 'web', value: 'not reported to any flow', rule: 'policy strict' },
                },
              ],
            },
          },
        });
      });
    });

    describe('events', () => {
      it('are added to the outbox together with their snapshot', async () => {
        await records.createNotification(sampleNotification({ triggers: [...triggers] }));
        await savePolicy();
        await records.attachPolicies(change(['strict']), 9);
        await report({ allowed: 'aaaaa' }, 10);
        await report({ allowed: 'aaaaa', web: 'bbbbb' }, 11);
        await report({ web: 'bbbbb' }, 12);
        await report({ web: 'bbbbb' }, 13);
        await records.distribute();
        const told: string[] = [];
        for (let due = await records.firstDue(1000); due !== undefined; due = await records.firstDue(1000)) {
          told.push(`${due.event.snapshot} ${due.event.trigger}`);
          await records.completeDelivery(due, 1000);
        }
        expect(told).toEqual([
          '1 ON_STARTED_ARTIFACT',
          '1 ON_ALLOWED_ARTIFACT',
          '1 ON_COMPLIANT_ENV',
          '2 ON_STARTED_ARTIFACT',
          '2 ON_NON_COMPLIANT_ENV',
          '3 ON_EXITED_ARTIFACT',
        ]);
      });
    });
  });
}
