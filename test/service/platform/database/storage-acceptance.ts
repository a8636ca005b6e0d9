import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Attestation } from '../../../../src/service/attestation/attestation.ts';
import type { Records } from '../../../support/records.ts';
import { sampleAttestation } from '../../../support/service-samples.ts';

/** An open storage with the use cases on it. */
export interface OpenStorage {
  readonly records: Records;
}

/** A storage that is set up for a test. */
export interface StorageUnderTest extends OpenStorage {
  /** Closes the storage and opens it again over the same data. */
  reopen(): Promise<OpenStorage>;
  /** Closes it and removes the data. */
  remove(): Promise<void>;
}

/** What every storage adapter must do with transactions that wait for each other. */
export function describeStorage(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
    });
    afterEach(async () => {
      await tested.remove();
    });

    it('creates an organization once, also with concurrent requests', async () => {
      const outcomes = await Promise.all([records.createOrganization('new', 2), records.createOrganization('new', 3)]);
      expect(outcomes.sort()).toEqual(['created', 'exists']);
    });

    it('finishes the writes that were started before it is closed', async () => {
      await records.createOrganization('acme', 1);
      const flow = { org: 'acme', description: '', visibility: undefined, template: [], repoUrl: undefined };
      const names = Array.from({ length: 50 }, (_, index) => `flow-${index}`);
      const writes = names.map((each) => records.saveFlow({ ...flow, name: each }, 2));
      const reopened = tested.reopen();
      expect(await Promise.all(writes)).toEqual(writes.map(() => 'created'));
      ({ records } = await reopened);
      const found = await records.storage.read(({ flows }) => flows.list('acme', {}, { offset: 0, limit: 99 }));
      expect(found.map((each) => each.name)).toEqual(names.toSorted());
    });

    it('commits the other writes of a group if one fails', async () => {
      await records.createOrganizationWithFlows('acme', ['web']);
      const attestation = (id: string, trail = 'main'): Omit<Attestation, 'sequence'> => ({
        ...{ org: 'acme', flow: 'web', trail, id, name: 'sonar', type: 'sonar', verdict: 'compliant', reason: 'OK' },
        ...{ faults: [], createdAt: 20.5, reportedBy: 'ann', document: sampleAttestation('OK') },
      });
      await records.recordAttestation(attestation('first'));
      const outcomes = await Promise.allSettled([
        records.recordAttestation(attestation('second')),
        records.recordAttestation(attestation('first', 'of-the-failed-one')),
        records.recordAttestation(attestation('third')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((await records.findTrail('acme', 'web', 'main'))?.history.attestations).toHaveLength(3);
      expect(await records.findTrail('acme', 'web', 'of-the-failed-one')).toBeUndefined();
    });
  });
}
