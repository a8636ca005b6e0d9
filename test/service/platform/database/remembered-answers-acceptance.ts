import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Storage, WriteTransaction } from '../../../../src/service/platform/database/storage.ts';
import {
  carryOutOnce,
  type KeyedRequest,
  RepeatedRequest,
} from '../../../../src/service/platform/idempotency/carry-out-once.ts';
import type {
  RememberedAnswer,
  RequestKey,
} from '../../../../src/service/platform/idempotency/remembered-answer-records.ts';
import { sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

const day = 24 * 60 * 60;
const request: RequestKey = { org: 'acme', scope: 'PUT /flows/{org}', key: 'one' };
const answer = (answeredAt: number, body = '"OK"'): RememberedAnswer => ({
  ...{ status: 201, body, digest: 'ab', answeredAt },
});

/** What every storage adapter must do with idempotency keys. */
export function describeIdempotencyKeys(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let storage: Storage;

    beforeEach(async () => {
      tested = await open();
      ({ storage } = tested.records);
      await storage.transaction('acme', async ({ organizations }) => {
        for (const org of ['acme', 'other']) await organizations.insert(org, 1);
      });
    });
    afterEach(async () => {
      await tested.remove();
    });

    const find = (wanted: RequestKey, after: number): Promise<RememberedAnswer | undefined> =>
      storage.transaction('acme', ({ rememberedAnswers }) => rememberedAnswers.find(wanted, after));
    const save = (wanted: RequestKey, saved: RememberedAnswer): Promise<void> =>
      storage.transaction('acme', ({ rememberedAnswers }) => rememberedAnswers.save(wanted, saved));

    it('return an answer to its request only, and only for its time', async () => {
      await save(request, answer(10));
      expect(await find(request, 9.9)).toEqual(answer(10));
      expect(await find(request, 10)).toBeUndefined();
      for (const change of [{ org: 'other' }, { scope: 'PUT /user/{org}' }, { key: 'two' }]) {
        expect(await find({ ...request, ...change }, 0)).toBeUndefined();
      }
    });

    it('keep answers when the storage is opened again, and replace them', async () => {
      await save(request, answer(10));
      ({ storage } = (await tested.reopen()).records);
      expect(await find(request, 0)).toEqual(answer(10));
      await save(request, answer(20, '"again"'));
      expect(await find(request, 0)).toEqual(answer(20, '"again"'));
    });

    it('delete the oldest expired answers, no more than the limit', async () => {
      for (const time of [30, 10, 20, 40]) await save({ ...request, key: `at ${time}` }, answer(time));
      await storage.transaction('acme', ({ rememberedAnswers }) => rememberedAnswers.deleteOldest(30, 2));
      const left = await Promise.all([10, 20, 30, 40].map((time) => find({ ...request, key: `at ${time}` }, 0)));
      expect(left.map((found) => found?.answeredAt)).toEqual([undefined, undefined, 30, 40]);
    });

    describe('with a use case', () => {
      let runs = 0;
      const keyed = (change: Partial<KeyedRequest<string>> = {}): KeyedRequest<string> => ({
        ...{ ...request, digest: 'ab' },
        toAnswer: (result) => (result === 'nothing' ? undefined : { status: 200, body: JSON.stringify(result) }),
        ...change,
      });
      const run = (sent: KeyedRequest<string>, seconds: number, result = 'done'): Promise<unknown> => {
        const work = (): Promise<string> => {
          runs += 1;
          return Promise.resolve(result);
        };
        return storage.transaction('acme', carryOutOnce({ now: () => seconds * 1000 }, sent, work));
      };
      const countAnswers = (): Promise<number> =>
        storage.transaction('acme', async ({ rememberedAnswers }) => {
          const found = [];
          for (let index = 0; index < 30; index += 1) {
            found.push(await rememberedAnswers.find({ ...request, key: `key ${index}` }, -1));
          }
          return found.filter((each) => each !== undefined).length;
        });
      beforeEach(() => {
        runs = 0;
      });

      it('carry it out once for 35 days, then again', async () => {
        expect(await run(keyed(), 100)).toBe('done');
        expect(await run(keyed(), 100 + 35 * day - 1)).toMatchObject({
          first: { answer: { status: 200, body: '"done"' } },
        });
        expect(runs).toBe(1);
        expect(await run(keyed(), 100 + 35 * day)).toBe('done');
        expect(await run(keyed(), 100 + 36 * day)).toBeInstanceOf(RepeatedRequest);
        expect(runs).toBe(2);
      });

      it('remember nothing if the transaction is rolled back and run again', async () => {
        let attempts = 0;
        const work = (): Promise<string> => {
          attempts += 1;
          return Promise.resolve('done');
        };
        const once = carryOutOnce({ now: () => 0 }, keyed(), work);
        const failing = storage.transaction('acme', async (transaction: WriteTransaction) => {
          await once(transaction);
          throw new Error('on purpose');
        });
        await expect(failing).rejects.toThrow('on purpose');
        expect(await storage.transaction('acme', once)).toBe('done');
        expect(await storage.transaction('acme', once)).toBeInstanceOf(RepeatedRequest);
        expect(attempts).toBe(2);
      });

      it('forget expired answers little by little', async () => {
        for (let index = 0; index < 10; index += 1) await run(keyed({ key: `key ${index}` }), index);
        expect(await countAnswers()).toBe(10);
        for (let index = 10; index < 14; index += 1) await run(keyed({ key: `key ${index}` }), 40 * day);
        expect(await countAnswers()).toBe(10 - 8 + 4);
        await run(keyed({ key: 'key 14' }), 40 * day);
        expect(await countAnswers()).toBe(5);
      });
    });

    describe('of records', () => {
      const requestKey = { key: 'one', digest: 'ab' };
      const insertArtifact = (org: string, id: string, key?: typeof requestKey): Promise<void> =>
        storage.transaction('acme', async ({ flows, trails, artifacts }) => {
          const flow = { org, name: 'web', description: '', visibility: undefined, template: [], repoUrl: undefined };
          await flows.save({ ...flow, lastModifiedAt: 1 });
          await trails.insertMissing({ org, flow: 'web', name: 'main', createdAt: 1, report: {} });
          const report = sampleArtifact();
          const artifact = { org, flow: 'web', id, createdAt: 1, reportedBy: 'ann', report };
          await artifacts.insert(artifact, JSON.stringify(report), key);
        });
      const insertAttestation = (org: string, sequence: number, key?: typeof requestKey): Promise<void> =>
        storage.transaction('acme', ({ attestations }) =>
          attestations.insert({
            ...{ org, flow: 'web', trail: 'main', id: `id-${sequence}`, name: 'sonar', type: 'sonar' },
            ...{
              verdict: 'compliant',
              reason: 'OK',
              faults: [],
              createdAt: 1,
              reportedBy: 'ann',
              sequence,
              isStepBack: false,
            },
            ...{ scopes: [], evidence: 'sonar', documentJson: JSON.stringify(sampleAttestation('OK')) },
            requestKey: key,
          }),
        );

      it('are unique within the organization; records without keys are not', async () => {
        for (const org of ['acme', 'other']) {
          await insertArtifact(org, 'id-1', requestKey);
          await insertAttestation(org, 1, requestKey);
        }
        await expect(insertArtifact('acme', 'id-2', requestKey)).rejects.toThrow();
        await expect(insertAttestation('acme', 2, requestKey)).rejects.toThrow();
        for (const number of [3, 4]) {
          await insertArtifact('acme', `id-${number}`);
          await insertAttestation('acme', number);
        }
      });

      it('find the digest of the request, in the organization only', async () => {
        await insertArtifact('acme', 'id-1', requestKey);
        await insertAttestation('acme', 1, requestKey);
        const found = await storage.read(async ({ artifacts, attestations }) => [
          await artifacts.findRequestDigest('acme', 'one'),
          await attestations.findRequestDigest('acme', 'one'),
          await artifacts.findRequestDigest('other', 'one'),
          await attestations.findRequestDigest('other', 'one'),
          await artifacts.findRequestDigest('acme', 'two'),
          await attestations.findRequestDigest('acme', 'two'),
        ]);
        expect(found).toEqual(['ab', 'ab', undefined, undefined, undefined, undefined]);
      });
    });
  });
}
