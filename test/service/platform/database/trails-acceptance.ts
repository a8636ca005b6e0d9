import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trail } from '../../../../src/service/trail/trail.ts';
import type { TrailFilter } from '../../../../src/service/trail/trail-records.ts';
import type { TrailToBegin } from '../../../../src/service/trail/trail-use-cases.ts';
import type { Records } from '../../../support/records.ts';
import { commitOf, fingerprintOf, sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for trails, and for lists of flows. */
export function describeTrails(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganizationWithFlows('acme', ['web', 'api']);
      await records.createOrganizationWithFlows('other', ['web']);
    });
    afterEach(() => tested.remove());

    const trail = (change: Partial<TrailToBegin> = {}): TrailToBegin => ({
      ...{ org: 'acme', flow: 'web', name: 'main', report: {}, template: undefined },
      ...change,
    });
    const list = async (filter: TrailFilter = {}, offset = 0): Promise<unknown> =>
      records.storage.read(async ({ trails }) => {
        const found = await trails.list('acme', filter, { offset, limit: 2 });
        return [found.map(({ flow, name: of }) => `${flow}/${of}`), await trails.count('acme', filter)];
      });
    let reports = 0;
    const report = (trailName: string, flow = 'web'): Promise<unknown> =>
      records.recordArtifact({
        ...{ org: 'acme', flow, id: String((reports += 1)), createdAt: 5, reportedBy: 'ann' },
        report: sampleArtifact({ trail_name: trailName }),
      });

    it('are found by the commit that they were last begun for, else by their name, in their flow', async () => {
      const begun = (name: string, sha1?: string, flow = 'web') =>
        records.beginTrail(trail({ name, flow, report: sha1 === undefined ? {} : { git_commit_info: { sha1 } } }), 10);
      await begun('first', commitOf('1'));
      await begun('second', commitOf('1'));
      await begun('moved', commitOf('1'));
      await begun('moved', commitOf('2'));
      await begun('first', commitOf('1'), 'api');
      await begun(commitOf('1'));
      await begun(commitOf('2'), commitOf('3'));
      const find = (sha: string, limit = 9) =>
        records.storage.read(async ({ trails }) =>
          (await trails.listByCommit('acme', 'web', sha, limit)).map(({ name: found }) => found),
        );
      expect(await find(commitOf('1'))).toEqual([commitOf('1'), 'second', 'first']);
      expect(await find(commitOf('1'), 1)).toEqual([commitOf('1')]);
      expect(await find(commitOf('2'))).toEqual(['moved']);
    });

    it('keep what they were begun with, and when', async () => {
      const said = { description: 'first', user_data: { ticket: [1, 'a'] }, git_commit_info: { sha1: commitOf('1') } };
      expect(await records.beginTrail(trail({ report: said }), 10.5)).toBe('begun');
      const update = { description: 'second', git_commit_info: { sha1: commitOf('2'), url: 'https://git/2' } };
      expect(await records.beginTrail(trail({ report: update }), 11.5)).toBe('updated');
      ({ records } = await tested.reopen());
      expect(await records.findTrail('acme', 'web', 'main')).toMatchObject({
        details: {
          trail: { createdAt: 10.5, lastModifiedAt: 11.5, report: { ...said, ...update } },
          applied: { owner: 'flow', template: [] },
        },
      });
      const updates = await records.storage.read(({ trails }) => trails.listUpdates(trail(), 9));
      expect(updates).toEqual([{ at: 11.5, commit: update.git_commit_info }]);
      expect(await records.findTrail('other', 'web', 'main')).toBeUndefined();
      expect(await records.beginTrail(trail({ flow: 'none' }), 12)).toBe('flow not found');
    });

    it('keep the time when they were created, also if a transaction writes them several times', async () => {
      const at = (name: string, time: number): Trail => ({
        ...trail({ name }),
        ...{ createdAt: time, lastModifiedAt: time },
      });
      await records.storage.transaction('acme', async ({ trails }) => {
        await trails.save(at('a', 1));
        await trails.insertMissing(at('b', 2));
        await trails.save(at('b', 3));
        await trails.insertMissing(at('a', 4));
        await trails.save(at('a', 5));
        await trails.insertMissing({ ...at('c', 6), report: { origin_url: 'https://ci/1' } });
        await trails.insertMissing({ ...at('c', 7), report: { origin_url: 'https://ci/2' } });
        await trails.addUpdate(at('a', 5), { at: 5, commit: undefined });
        await trails.addUpdate(at('a', 5), { at: 6, commit: undefined });
      });
      const found = await records.storage.read(async ({ trails }) => [
        ...(await trails.list('acme', {}, { offset: 0, limit: 9 })),
        ...(await trails.listUpdates(at('a', 5), 9)),
      ]);
      expect(found).toMatchObject([
        ...[
          { name: 'c', createdAt: 6, lastModifiedAt: 6, report: { origin_url: 'https://ci/1' } },
          { name: 'b', createdAt: 2, lastModifiedAt: 3 },
          { name: 'a', createdAt: 1, lastModifiedAt: 5 },
        ],
        ...[{ at: 6 }, { at: 5 }],
      ]);
    });

    it('are listed with the latest first, by flow and by artifact', async () => {
      for (const each of ['c', 'a', 'b']) await records.beginTrail(trail({ name: each }), 10);
      await report('a', 'api');
      await records.beginTrail(trail({ org: 'other', name: 'c' }), 10);
      expect(await list()).toEqual([['api/a', 'web/b'], 4]);
      expect(await list({}, 2)).toEqual([['web/a', 'web/c'], 4]);
      expect(await list({ flow: 'web' })).toEqual([['web/b', 'web/a'], 3]);
      for (const each of ['c', 'c']) await report(each);
      const { fingerprint } = sampleArtifact();
      expect(await list({ fingerprint })).toEqual([['api/a', 'web/c'], 2]);
      expect(await list({ fingerprint, flow: 'web' })).toEqual([['web/c'], 1]);
      expect(await list({ fingerprint: fingerprintOf('f') })).toEqual([[], 0]);
    });

    it('have the template, the time and the verdict of their own flow and organization', async () => {
      const template = { text: 'own', attestations: [{ name: 'scan', type: '*' }], artifacts: [] };
      const theirs = { git_commit_info: { sha1: commitOf('1'), branch: 'theirs' } };
      await records.beginTrail(trail(), 10);
      await records.beginTrail(trail({ flow: 'api', template }), 20);
      await records.beginTrail(trail({ org: 'other', template, report: theirs }), 30);
      const found = await records.storage.read(async ({ trails }) => [
        ...(await trails.listTemplates('acme', 'web', ['main'])),
        ...(await trails.listTimes('acme', 'web', ['main'])),
        ...(await trails.listTimes('acme', 'api', ['main'])),
        await trails.countSelected('acme', 'web', { state: 'INCOMPLETE' }, 9),
        await trails.listFlowsOnBranch('acme', ['web'], 'theirs'),
      ]);
      expect(found).toEqual([['main', 10], ['main', 20], 0, []]);
    });

    it('know what their attestations are about, up to a size', async () => {
      const about = [
        { artifact_fingerprint: fingerprintOf('abcdef') },
        { target_artifacts: ['web', 'api'], git_commit_info: { sha1: commitOf('3'), url: 'https://git/3' } },
      ];
      for (const [index, change] of about.entries()) {
        await records.recordAttestation({
          ...{ org: 'acme', flow: 'web', trail: 'main', id: `id-${index}`, name: 'unit', type: 'sonar' },
          ...{ verdict: 'compliant', reason: 'good', faults: [], createdAt: 20, reportedBy: 'ann' },
          document: sampleAttestation('OK', { attestation_name: 'unit', ...change }),
        });
      }
      const read = (maximumBytes: number): Promise<readonly unknown[]> =>
        records.storage.read(({ attestations }) =>
          attestations.listSubjects({ org: 'acme', flow: 'web' }, 'main', { count: 5, maximumBytes }),
        );
      expect(await read(10_000)).toMatchObject([
        { id: 'id-1', targets: ['web', 'api'], commit: { sha1: commitOf('3'), url: 'https://git/3' } },
        { id: 'id-0', fingerprint: fingerprintOf('abcdef'), targets: [], commit: undefined },
      ]);
      expect(await read(300)).toHaveLength(1);
      const found = await records.storage.read(({ attestations }) => attestations.findById('acme', 'id-1'));
      expect(found).toMatchObject({ id: 'id-1', sequence: 2, document: { target_artifacts: ['web', 'api'] } });
      expect(await records.storage.read(({ attestations }) => attestations.findById('other', 'id-1'))).toBeUndefined();
    });

    it('belong to flows, which keep when they were created and last changed', async () => {
      const flow = {
        org: 'acme',
        name: 'web',
        description: '',
        visibility: undefined,
        template: [],
        repoUrl: undefined,
      };
      await records.saveFlow(flow, 4);
      const found = await records.storage.read(({ flows }) => flows.find('acme', 'web'));
      expect(found).toMatchObject({ lastModifiedAt: 4 });
      expect(await records.findCreationTime('flow', 'web')).toBe(2);
    });
  });
}
