import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredKey } from '../../../../src/service/account/account.ts';
import { hashSecret } from '../../../../src/service/account/api-key.ts';
import type { VerdictSpan } from '../../../../src/service/platform/rate.ts';
import { hashSessionToken, sessionSeconds } from '../../../../src/service/session/session.ts';
import * as sessions from '../../../../src/service/session/session-use-cases.ts';
import type { TrailSelection } from '../../../../src/service/trail/trail-records.ts';
import { listTrailStates } from '../../../../src/service/trail/trail-state-use-cases.ts';
import { listFrequentFaults, loadFlowTrends } from '../../../../src/service/trail/trail-trend-use-cases.ts';
import { judgeMarked } from '../../../../src/service/trail/trail-verdict-use-cases.ts';
import type { Records } from '../../../support/records.ts';
import { commitOf } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for the pages alone: sessions, trails by name, and since when a verdict holds. */
export function describePages(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    const keyOf = (id: string, org = 'acme', expiresAt = 1e6): StoredKey => ({
      ...{ org, id, ownerKind: 'user', owner: 'ann', isLimitedToOrg: false, description: '' },
      ...{ secretHash: hashSecret('secret'), createdAt: 1, expiresAt },
    });
    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      for (const org of ['acme', 'other']) {
        await records.createOrganization(org, 1);
        await records.saveMember({ org, user: 'ann', role: 'member', createdAt: 1 });
        await records.storage.transaction(org, ({ accounts }) => accounts.insertKey(keyOf(`${org}Key`, org)));
      }
    });
    afterEach(() => tested.remove());

    describe('sessions', () => {
      it('stand for their key, with what it permits in the organization, until they end', async () => {
        const { session, token } = await sessions.startSession(records.at(10.5), keyOf('acmeKey'));
        expect(session).toEqual({
          ...{ org: 'acme', keyId: 'acmeKey', tokenHash: hashSessionToken(token) },
          ...{ createdAt: 10.5, expiresAt: 10.5 + sessionSeconds },
        });
        ({ records } = await tested.reopen());
        const find = (at: number, org?: string): ReturnType<typeof sessions.findSessionHolder> =>
          sessions.findSessionHolder(records.at(at), { token, org });
        expect(await find(11)).toEqual({ key: keyOf('acmeKey'), grants: [] });
        expect(await find(11, 'acme')).toEqual({ key: keyOf('acmeKey'), grants: [{ role: 'member' }] });
        expect(await find(10.5 + sessionSeconds)).toBeUndefined();
        expect(await sessions.findSessionHolder(records.at(11), { token: `${token}x`, org: 'acme' })).toBeUndefined();
        expect(await sessions.listSessions(records.at(11), keyOf('acmeKey'))).toEqual([session]);
        await sessions.endSession(records.at(12), { key: { org: 'other' }, token });
        expect(await find(12)).toBeDefined();
        await sessions.endSession(records.at(12), { key: keyOf('acmeKey'), token });
        expect(await find(12)).toBeUndefined();
      });

      it('are deleted some time after they have expired', async () => {
        const key = keyOf('acmeKey');
        await sessions.startSession(records.at(10), key);
        await sessions.startSession(records.at(10 + sessionSeconds), key);
        const left = await records.storage.read((transaction) =>
          transaction.sessions.listOfKey({ org: 'acme', keyId: key.id }),
        );
        expect(left.map(({ createdAt }) => createdAt)).toEqual([10 + sessionSeconds]);
      });
    });

    it('find trails by the beginning of their name', async () => {
      for (const flow of ['web', 'api']) {
        await records.saveFlow(
          { org: 'acme', name: flow, description: '', visibility: undefined, template: ['sonar'], repoUrl: undefined },
          2,
        );
      }
      for (const [flow, trail] of [
        ['web', 'build-2'],
        ['api', 'build-1'],
        ['web', 'build-1'],
        ['web', 'Build-1'],
        ['web', 'build'],
        ['web', 'build-~'],
        ['web', 'deploy'],
      ] as const) {
        await records.beginTrail({ org: 'acme', flow, name: trail, report: {}, template: undefined }, 5);
      }
      const find = (namePrefix: string, limit = 9): Promise<readonly string[]> =>
        records.storage.read(async ({ trails }) =>
          (await trails.listByName('acme', namePrefix, limit)).map(({ flow, name: of }) => `${flow}/${of}`),
        );
      expect(await find('build-')).toEqual(['api/build-1', 'web/build-1', 'web/build-2', 'web/build-~']);
      expect(await find('build', 2)).toEqual(['web/build', 'api/build-1']);
      expect(await find('b%')).toEqual([]);
      const query = { org: 'acme', flow: 'web', selection: {}, offset: 0, limit: 2 };
      expect(await listTrailStates(records.at(6), { ...query, flow: 'none' })).toBeUndefined();
    });

    it('select the trails of a flow by state, commit and time, the latest first', async () => {
      const flow = { org: 'acme', description: '', visibility: undefined, repoUrl: undefined };
      for (const name of ['web', 'api']) await records.saveFlow({ ...flow, name, template: ['sonar'] }, 2);
      const begun = [
        ['one', 'main', 'Ann <ann@example.com>'],
        ['two', 'feature', 'Bob'],
        ['three', 'main', 'Bob'],
        ['four', undefined, undefined],
      ] as const;
      for (const [index, [name, branch, author]] of begun.entries()) {
        const commit = { sha1: commitOf('1'), ...(branch === undefined ? {} : { branch, author }) };
        const trail = { org: 'acme', name, report: { git_commit_info: commit }, template: undefined };
        await records.beginTrail({ ...trail, flow: 'web' }, 10 + index);
        await records.beginTrail({ ...trail, flow: 'api' }, 10 + index);
      }
      const select = async (selection: TrailSelection, offset = 0) => {
        const query = { org: 'acme', flow: 'web', selection, offset, limit: 2 };
        const { trails = [], total } = (await listTrailStates(records.at(20), query)) ?? {};
        return [trails.map(({ trail }) => trail.name), total];
      };
      expect(await select({})).toEqual([['four', 'three'], 4]);
      expect(await select({}, 2)).toEqual([['two', 'one'], 4]);
      expect(await select({ state: 'INCOMPLETE' }, 3)).toEqual([['one'], 4]);
      expect(await select({ state: 'COMPLIANT' })).toEqual([[], 0]);
      expect(await select({ state: 'INCOMPLETE', branch: 'main', fault: 'sonar' })).toEqual([['three', 'one'], 2]);
      expect(await select({ fault: 'unit' })).toEqual([[], 0]);
      expect(await select({ branch: 'main' })).toEqual([['three', 'one'], 2]);
      expect(await select({ author: 'Bob', state: 'INCOMPLETE' })).toEqual([['three', 'two'], 2]);
      expect(await select({ author: 'Bob', branch: 'main' })).toEqual([['three'], 1]);
      expect(await select({ namePrefix: 't', branch: 'feature' })).toEqual([['two'], 1]);
      expect(await select({ from: 11, to: 13 })).toEqual([['three', 'two'], 2]);
      expect(await select({ namePrefix: 't', from: 12 })).toEqual([['three'], 1]);
      await records.saveFlow({ ...flow, name: 'web', template: [] }, 21);
      const isRejudged = () => records.storage.read(({ trails }) => trails.isRejudged('acme', 'web'));
      expect(await isRejudged()).toBe(true);
      // A batch, and the end of the flow.
      await records.storage.transaction('acme', (transaction) => judgeMarked(transaction, 'acme', 22));
      expect([await isRejudged(), await select({ state: 'COMPLIANT' }, 2)]).toEqual([false, [['two', 'one'], 4]]);
    });

    it('list since when environments have and had their verdicts', async () => {
      await records.saveEnvironment({ org: 'acme', name: 'prod', kind: 'K8S', user: 'ann' }, 2);
      const insert = (verdicts: readonly (boolean | null)[], environment: string): Promise<void> =>
        records.storage.transaction('acme', async ({ environments, snapshots }) => {
          await environments.save({
            ...{ org: 'acme', name: environment, kind: 'K8S', description: '', requiresProvenance: false },
            ...{ createdAt: 2, lastModifiedAt: 2 },
          });
          for (const [index, compliant] of verdicts.entries()) {
            const judgement = { compliant, policies: [], breaches: [], allowed: [] };
            const snapshot = { environment, number: index + 1, from: 10 + index, judgement, content: '[]' };
            await snapshots.insert({ org: 'acme', ...snapshot }, false);
          }
        });
      const list = (environment: string, since: number, limit = 99): Promise<readonly VerdictSpan[]> =>
        records.storage.read(({ snapshots }) => snapshots.listVerdictSpans('acme', environment, since, limit));
      expect(await list('prod', 0)).toEqual([]);
      let made = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(true, false, null), { minLength: 1, maxLength: 8 }),
          fc.integer({ min: 9, max: 20 }),
          async (verdicts, since) => {
            const environment = `env-${(made += 1)}`;
            await insert(verdicts, environment);
            const starts = verdicts.flatMap((compliant, index) =>
              index === 0 || compliant !== verdicts[index - 1] ? [{ compliant, from: 10 + index }] : [],
            );
            const spans = starts.map((start, index) => ({ ...start, to: starts[index + 1]?.from })).reverse();
            expect(await list(environment, 0)).toEqual(spans);
            const isShown = ({ to = Infinity }: VerdictSpan): boolean => to > since;
            expect((await list(environment, since)).filter(isShown)).toEqual(spans.filter(isShown));
            expect(await list(environment, 0, 2)).toEqual(spans.slice(0, 2));
          },
        ),
        { numRuns: 30 },
      );
    });

    it('count the trails of flows by branch, time and what keeps them from being compliant', async () => {
      const flow = { org: 'acme', description: '', visibility: undefined, repoUrl: undefined };
      for (const name of ['web', 'api']) await records.saveFlow({ ...flow, name, template: ['sonar', 'unit'] }, 2);
      await records.saveFlow({ ...flow, name: 'free', template: [] }, 2);
      const begin = async (name: string, branch: string, at: number, flows: readonly string[]): Promise<void> => {
        const report = { git_commit_info: { sha1: commitOf('1'), branch } };
        for (const of of flows)
          await records.beginTrail({ org: 'acme', flow: of, name, report, template: undefined }, at);
      };
      const day = 86_400;
      await begin('one', 'master', 10, ['web', 'api']);
      await begin('two', 'main', 20 + 30 * day, ['web', 'free']);
      await begin('three', 'feature', 30 + 30 * day, ['web', 'api', 'free']);
      const load = (isAllBranches: boolean) =>
        records.storage.read(async (transaction) => {
          const window = { days: 30, isAllBranches };
          const flows = ['web', 'api', 'free', 'none'];
          const trends = await loadFlowTrends(transaction, 'acme', flows, window, 100 + 30 * day);
          const rates = [...trends].map(([name, { branch, trend }]) => [name, branch, trend.current, trend.before]);
          const faults = (await listFrequentFaults(transaction, 'acme', trends, 9)).map(
            ({ flow: of, state, name: fault, trails }) => ({ of, state, fault, trails }),
          );
          return { rates, faults };
        });
      const none = { good: 0, total: 0 };
      const red = { good: 0, total: 1 };
      expect(await load(false)).toEqual({
        rates: expect.arrayContaining([
          ['web', 'main', red, none],
          ['api', 'master', none, red],
          ['free', 'main', { good: 1, total: 1 }, none],
          ['none', undefined, none, none],
        ]),
        faults: expect.arrayContaining([
          { of: 'web', state: 'INCOMPLETE', fault: 'sonar', trails: 1 },
          { of: 'web', state: 'INCOMPLETE', fault: 'unit', trails: 1 },
        ]),
      });
      const all = await load(true);
      expect(all.rates).toEqual([
        ['web', undefined, { good: 0, total: 2 }, red],
        ['api', undefined, red, red],
        ['free', undefined, { good: 2, total: 2 }, none],
        ['none', undefined, none, none],
      ]);
      // Also the trail that was begun earlier on the first day, as in the list by days.
      expect(all.faults.slice(0, 2).map(({ of, trails }) => [of, trails])).toEqual([
        ['web', 3],
        ['web', 3],
      ]);
    });
  });
}
