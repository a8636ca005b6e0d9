import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Records } from '../../../support/records.ts';

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
  });
}
