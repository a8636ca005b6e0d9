import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ArtifactReport } from '../../../../src/contract/artifact-report.ts';
import type { ReportedArtifact } from '../../../../src/service/artifact/artifact.ts';
import { toReportScopes } from '../../../../src/service/attestation/evidence-scope.ts';
import type { ReadTransaction } from '../../../../src/service/platform/database/storage.ts';
import type { Recorder } from '../../../../src/service/requirement/recorder.ts';
import { toRunningArtifacts } from '../../../../src/service/snapshot/running-artifact.ts';
import type { Records } from '../../../support/records.ts';
import { fingerprintOf, sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

interface Limits {
  readonly history: number;
  readonly appearances: number;
}

const defaultLimits: Limits = { history: 20, appearances: 100 };

/** Reads what belongs to a report of an artifact. */
async function lookUp(
  { artifacts, attestations, trails }: ReadTransaction,
  artifact: ReportedArtifact,
  limits = defaultLimits,
) {
  const { org, flow, report } = artifact;
  const { trail_name: trail, fingerprint } = report;
  const scopes = toReportScopes(artifact);
  const [latest, latestInTrail, templates, current, history, appearances] = await Promise.all([
    artifacts.findLatest({ org, flow }, fingerprint),
    artifacts.findLatest({ org, flow, trail }, fingerprint),
    trails.listTemplates(org, flow, [trail]),
    attestations.listCurrent({ org, flow }, scopes),
    attestations.listBound({ org, flow }, scopes, limits.history),
    artifacts.listAppearances(org, fingerprint, limits.appearances),
  ]);
  return { latest, latestInTrail, template: templates.get(trail), current, history, appearances };
}

/** What every storage adapter must do for the lookups of reports, also for many of them at the same time. */
export function describeLookups(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    const fingerprint = fingerprintOf('abcdef');
    const template = { text: 'version: 1\n', attestations: [{ name: 'unit', type: '*' }], artifacts: [] };

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      for (const org of ['acme', 'other']) await records.createOrganizationWithFlows(org, ['web']);
    });
    afterEach(() => tested.remove());

    const attest = (number: number, org: string, attestation: string, artifact?: string): Promise<unknown> => {
      const document = sampleAttestation('OK', {
        attestation_name: attestation,
        ...(artifact === undefined ? {} : { artifact_fingerprint: artifact }),
      });
      return records.recordAttestation({
        ...{ org, flow: 'web', trail: 'main', id: `attestation-${number}`, name: attestation, type: 'sonar' },
        ...{
          verdict: 'compliant',
          reason: 'the quality gate is OK',
          faults: [],
          createdAt: 10 + number / 4,
          reportedBy: 'ann',
        },
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
    const unknown = reportOf({
      report: sampleArtifact({ fingerprint: fingerprintOf('bbb'), trail_name: 'none' }),
    });
    const run = async (environment: string, at: number, running: boolean): Promise<void> => {
      await records.saveEnvironment({ org: 'acme', name: environment, kind: 'K8S', description: '', user: 'ann' }, 3);
      const digests = running ? { web: fingerprint } : {};
      const pods = [{ podName: 'web', namespace: 'shop', digests, creationTimestamp: 1 }];
      const artifacts = toRunningArtifacts(running ? pods : [], ['podName']);
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

    const read = (artifact: ReportedArtifact, limits?: Limits): ReturnType<typeof lookUp> =>
      records.storage.read((transaction) => lookUp(transaction, artifact, limits));

    it('have the template, the evidence and the appearances of the artifact', async () => {
      await fill();
      ({ records } = await tested.reopen());
      const found = await read(reportOf());
      expect(found.latest).toEqual(reportOf());
      expect(found.latestInTrail).toEqual(reportOf());
      expect(found.template).toEqual(template);
      expect(found.history.map(({ id }) => id)).toEqual([7, 6, 4, 3, 2, 1, 0].map((number) => `attestation-${number}`));
      const current = [...found.current].map(([scope, counted]) => [
        scope,
        counted.map(({ sequence }) => sequence).sort(),
      ]);
      expect(Object.fromEntries(current)).toEqual({
        [`fingerprint/${fingerprint}`]: [7, 8],
        'trail/main': [3, 4],
        'target/main/web/': [5],
      });
      expect(found.appearances.map(({ environment, exitedAt }) => [environment, exitedAt])).toEqual([
        ['production', undefined],
        ['staging', 22],
      ]);
    });

    it('end where the limits say', async () => {
      await fill();
      const { history, appearances } = await read(reportOf(), { history: 2, appearances: 1 });
      expect(history.map(({ id }) => id)).toEqual(['attestation-7', 'attestation-6']);
      expect(appearances).toHaveLength(1);
    });

    it('have nothing of other organizations, and may find nothing', async () => {
      await fill();
      const foreign = await read(reportOf({ org: 'other' }));
      expect(foreign.history.map(({ id }) => id)).toEqual(['attestation-8']);
      expect(foreign.template).toBeUndefined();
      expect(foreign.appearances).toEqual([]);
      expect(await read(unknown)).toEqual({
        ...{ latest: undefined, latestInTrail: undefined, template: undefined },
        ...{ current: new Map(), history: [], appearances: [] },
      });
    });

    it('of a trail are the latest, the newest first', async () => {
      for (const number of [1, 2, 3]) {
        await attest(number, 'acme', 'unit');
        await records.recordArtifact(reportOf({ artifact: fingerprintOf(`a${number}`) }));
      }
      const trail = { org: 'acme', flow: 'web' };
      await records.storage.read(async ({ artifacts, attestations }) => {
        const attested = await attestations.listByTrail(trail, 'main', 2);
        expect(attested.map(({ id }) => id)).toEqual(['attestation-3', 'attestation-2']);
        const reported = await artifacts.listByTrail('acme', 'web', 'main', 2);
        expect(reported.map(({ report }) => report.fingerprint)).toEqual(['a3', 'a2'].map(fingerprintOf));
      });
    });

    it('of the artifacts of a trail are the latest of each name, and of each recorder', async () => {
      const add = (
        digits: string,
        change: Partial<ArtifactReport>,
        ...recorders: readonly Recorder[]
      ): Promise<unknown> =>
        records.recordArtifact(
          reportOf({
            ...{ artifact: fingerprintOf(digits), recorders },
            report: sampleArtifact({ fingerprint: fingerprintOf(digits), ...change }),
          }),
        );
      await add('a1', { filename: 'web' }, { id: 'rule:one@1' });
      await add('a2', { template_reference_name: 'api' }, { id: 'rule:one@1' });
      await add('a3', { filename: 'web' });
      await add('a4', { template_reference_name: 'api' });
      await add('a5', { filename: 'other', template_reference_name: 'api' });
      const list = (ofEachRecorder: boolean, limit: number): Promise<unknown> =>
        records.storage.read(async ({ artifacts }) => {
          const found = await artifacts.listLatestByName('acme', 'web', 'main', { ofEachRecorder, limit });
          return [found.isComplete, ...found.reports.map(({ report }) => report.fingerprint.slice(0, 2))];
        });
      expect(await list(false, 2)).toEqual([true, 'a5', 'a3']);
      expect(await list(false, 1)).toEqual([false, 'a5']);
      expect(await list(true, 4)).toEqual([true, 'a5', 'a3', 'a2', 'a1']);
    });

    it('of evidence that counts for some environments has a place and names of its own', async () => {
      await attest(0, 'acme', 'unit');
      const place = { org: 'acme', flow: 'web' };
      const names = { scopes: ['trail/a'], maximumNames: 2 };
      const add = (evidence: string, sequence: number, countsFor?: readonly string[]): Promise<void> =>
        records.storage.transaction('acme', ({ attestations }) =>
          attestations.insert({
            ...{ ...place, trail: 'main', id: String(sequence), name: evidence, type: 'generic', verdict: 'compliant' },
            ...{ reason: '', faults: [], createdAt: 5, reportedBy: 'ann', documentJson: '{}', isStepBack: false },
            ...{ scopes: names.scopes, evidence, sequence, countsFor },
          }),
        );
      await add('unit', 2);
      await add('unit', 3, []);
      await add('unit', 4, ['staging']);
      await add('unit', 5, []);
      await add('scan', 6, []);
      const isFull = (evidence: string, countsFor?: readonly string[]): Promise<boolean> =>
        records.storage.transaction('acme', ({ attestations }) =>
          attestations.isAnyScopeFull(place, { ...names, evidence, countsFor }),
        );
      expect(await isFull('more', [])).toBe(true);
      expect(await isFull('scan', [])).toBe(false);
      expect(await isFull('more')).toBe(false);
      const current = await records.storage.read(({ attestations }) => attestations.listCurrent(place, names.scopes));
      const found = current.get('trail/a')?.map(({ sequence, name: of, countsFor }) => [sequence, of, countsFor]);
      expect(found?.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
        [2, 'unit', undefined],
        [4, 'unit', ['staging']],
        [5, 'unit', []],
        [6, 'scan', []],
      ]);
      const count = (limit: number): Promise<number> =>
        records.storage.read(({ attestations }) =>
          attestations.countCurrent(place, [...names.scopes, 'trail/b'], limit),
        );
      expect([await count(3), await count(9)]).toEqual([3, 4]);
    });

    it('by digits find each fingerprint and commit once, however often it was reported', async () => {
      for (const [index, digits] of ['a1', 'a1', 'a2'].entries()) {
        const artifact = fingerprintOf(digits);
        const report = sampleArtifact({ fingerprint: artifact, git_commit: digits.padEnd(40, '0') });
        await records.recordArtifact({ ...reportOf({ artifact }), id: `report-${index}`, report });
      }
      expect(await records.storage.read(({ artifacts }) => artifacts.findMatches('acme', 'a', 2))).toEqual({
        fingerprints: ['a1', 'a2'].map(fingerprintOf),
        commits: ['a1', 'a2'].map((digits) => digits.padEnd(40, '0')),
      });
    });

    it('of a transaction see what it wrote before, and nothing that it writes after them', async () => {
      await fill();
      const found = await records.storage.transaction('acme', async ({ artifacts }) => {
        const place = { org: 'acme', flow: 'web' };
        const report = (id: string): ReportedArtifact => reportOf({ id });
        const insert = (id: string): Promise<void> => artifacts.insert(report(id), JSON.stringify(report(id).report));
        const before = artifacts.findLatest(place, fingerprint);
        const inserted = insert('second');
        const between = artifacts.findLatest(place, fingerprint);
        const insertedLast = insert('third');
        await Promise.all([inserted, insertedLast]);
        return [await before, await between, await artifacts.findLatest(place, fingerprint)];
      });
      expect(found.map((report) => report?.id)).toEqual([reportOf().id, 'second', 'third']);
    });
  });
}
