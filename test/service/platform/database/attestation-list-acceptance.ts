import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Attestation } from '../../../../src/service/attestation/attestation.ts';
import type { AttestationListQueryAt, Records } from '../../../support/records.ts';
import { sampleAttestation } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for lists of attestations. */
export function describeAttestationList(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    let made = 0;

    const attestation = (createdAt: number, change: Partial<Attestation> = {}): Omit<Attestation, 'sequence'> => ({
      org: 'acme',
      flow: 'web',
      trail: 'main',
      id: `00000000-0000-0000-0000-${String((made += 1)).padStart(8, '0')}`,
      name: 'sonar',
      type: 'sonar',
      verdict: 'compliant',
      reason: 'the quality gate is OK',
      faults: [],
      createdAt,
      reportedBy: 'ann',
      document: sampleAttestation('OK'),
      ...change,
    });
    const record = async (times: readonly number[], flow = 'web'): Promise<readonly string[]> => {
      const all = times.map((time) => attestation(time, { flow }));
      for (const each of all) await records.recordAttestation(each);
      return all.map(({ id }) => id);
    };
    const query = (change: Partial<AttestationListQueryAt> = {}): AttestationListQueryAt => ({
      org: 'acme',
      flow: 'web',
      part: { offset: 0, limit: 10 },
      now: 1_000_000,
      ...change,
    });
    const page = async (
      change: Partial<AttestationListQueryAt> = {},
    ): Promise<{ total: number; attestations: readonly Attestation[]; ids: readonly string[] }> => {
      const { total, attestations } = (await records.listAttestations(query(change))) ?? {};
      if (total === undefined || attestations === undefined) throw new Error('there is no flow');
      return { total, attestations, ids: attestations.map(({ id }) => id) };
    };

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      for (const org of ['acme', 'other']) await records.createOrganizationWithFlows(org, ['web', 'api']);
    });
    afterEach(async () => {
      await tested.remove();
    });

    it('returns the attestations as they were recorded, of this flow and organization only', async () => {
      const mine = attestation(5, { attachment: { filename: 'a.xml', digest: 'd'.repeat(64), size: 3 } });
      await records.recordAttestation(mine);
      await record([5], 'api');
      await records.recordAttestation(attestation(5, { org: 'other' }));
      expect(await page()).toMatchObject({ attestations: [mine], total: 1 });
    });

    it('returns pages, newest first', async () => {
      const ids = (await record([1, 2, 3, 4, 5, 6, 7])).toReversed();
      expect(await page({ part: { offset: 0, limit: 3 } })).toMatchObject({ ids: ids.slice(0, 3), total: 7 });
      expect(await page({ part: { offset: 6, limit: 3 } })).toMatchObject({ ids: ids.slice(6), total: 7 });
      expect(await page({ part: { offset: 9, limit: 3 } })).toMatchObject({ ids: [], total: 7 });
      expect(await page({ part: { offset: 1e12, limit: 1000 } })).toMatchObject({ ids: [], total: 7 });
    });

    it('keeps the order of recording and the times of the clock, when the clock is set back', async () => {
      const ids = (await record([10, 30, 20, 25, 40])).toReversed();
      const { attestations } = await page();
      expect(attestations.map(({ id }) => id)).toEqual(ids);
      expect(attestations.map(({ sequence }) => sequence)).toEqual([5, 4, 3, 2, 1]);
      expect(attestations.map(({ createdAt }) => createdAt)).toEqual([40, 25, 20, 30, 10]);
      // The third was recorded after one of 30 and before one of 25, so its time is unknown.
      expect((await page({ from: 21, to: 30 })).ids).toEqual(ids.slice(1, 4));
      expect((await page({ to: 19 })).ids).toEqual(ids.slice(3));
      expect((await page({ from: 31 })).ids).toEqual(ids.slice(0, 3));
    });

    it('hides nothing that was recorded while the clock was ahead', async () => {
      const ids = (await record([10, 9000, 20])).toReversed();
      expect((await page({ to: 29, now: 30 })).ids).toEqual(ids);
      expect((await page({ from: 15, now: 30 })).ids).toEqual(ids.slice(0, 2));
      await record([9100]);
      expect((await page({ to: 29, now: 30 })).total).toBe(4);
      expect((await page({ from: 25, now: 30 })).total).toBe(1);
    });

    it('neither skips nor repeats attestations on pages up to a time while more are recorded', async () => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 5 }),
          async (added, limit) => {
            const { ids: known } = await page({ part: { offset: 0, limit: 1000 } });
            const to = 50 + round;
            round += 2;
            const seen: string[] = [];
            for (let offset = 0, more = true; more; offset += limit) {
              const { ids } = await page({ part: { offset, limit }, to });
              seen.push(...ids);
              more = ids.length === limit;
              await record(Array.from({ length: added.shift() ?? 0 }, () => to + 1));
            }
            expect(seen).toEqual(known);
          },
        ),
        { numRuns: 15 },
      );
    });
  });
}
