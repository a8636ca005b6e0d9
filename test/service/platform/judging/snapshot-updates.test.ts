import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WakingLoop } from '../../../../src/service/platform/background/waking-loop.ts';
import { SqliteStorage } from '../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import type { PolicyRules } from '../../../../src/service/policy/policy-rules.ts';
import { toRunningArtifacts } from '../../../../src/service/snapshot/running-artifact.ts';
import { manualClock } from '../../../support/clock.ts';
import { pod } from '../../../support/environment-samples.ts';
import { Records } from '../../../support/records.ts';
import { fingerprintOf, sampleArtifact } from '../../../support/service-samples.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';
import { createDataFolder } from '../../../support/test-storage.ts';

const org = 'acme';
const user = 'ann';
// More than five transactions create.
const count = 300;
const logical = Array.from({ length: count }, (_, index) => `all-${index}`);

let folder: string;
let storage: SqliteStorage;
let records: Records;
let pending: WakingLoop;
beforeEach(async () => {
  folder = await createDataFolder();
  storage = new SqliteStorage(folder, storageDependencies());
  records = new Records(storage);
  pending = records.startPendingSnapshots();
  await records.createOrganization(org, 1);
  await records.saveEnvironment({ org, name: 'prod', kind: 'K8S', user }, 1);
  await savePolicy('strict', { provenance: { required: true } });
});
afterEach(async () => {
  await pending.stop();
  await storage.close();
  await rm(folder, { recursive: true });
});

const savePolicy = (name: string, artifacts: NonNullable<PolicyRules['artifacts']>): Promise<unknown> =>
  records.savePolicy(
    { ...{ org, name, comment: '', text: '', user }, rules: { _schema: 'https://example.com/v1', artifacts } },
    1,
  );
const report = (at: number, ...images: readonly string[]): Promise<unknown> => {
  const pods = images.map((image, index) => pod(`pod-${index}`, { [image]: index.toString(16) }));
  const artifacts = toRunningArtifacts(pods, ['podName']);
  return records.recordReport({ org, environment: 'prod', kind: 'K8S', artifacts }, at);
};
const verdictsOf = async (environment: string): Promise<(boolean | null)[]> => {
  const part = { offset: 0, limit: 10, ascending: true };
  return ((await records.listSnapshots({ org, environment, part, now: 10 })) ?? []).map(({ compliant }) => compliant);
};
/** Counted by someone else, so that reading makes nothing. */
const countOf = (table: string): number => {
  const database = new DatabaseSync(join(folder, 'compliance.sqlite'), { readOnly: true });
  const row = database.prepare(`SELECT count(*) AS count FROM ${table}`).get();
  database.close();
  return Number(row?.['count']);
};

describe('a report to an environment that hundreds of logical ones include', () => {
  beforeEach(async () => {
    const policies = ['strict'];
    await Promise.all(
      logical.map((name) =>
        records.saveEnvironment({ org, name, kind: 'logical', members: ['prod'], policies, user }, 1),
      ),
    );
  });

  it('creates few snapshots by itself, and readers get all of them', async () => {
    await report(2, 'web:1');
    expect(countOf('snapshots')).toBeLessThan(count / 4);
    for (const name of logical) expect([name, await verdictsOf(name)]).toEqual([name, [false]]);
    expect([countOf('snapshots'), countOf('pending_snapshots')]).toEqual([count + 1, 0]);
  });

  it('is followed by all other snapshots, even if they are not read', async () => {
    await report(2, 'web:1');
    while (countOf('pending_snapshots') > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(countOf('snapshots')).toBe(count + 1);
  });

  it('is followed by them after a restart, with their original times', async () => {
    await report(2, 'web:1');
    await pending.stop();
    await storage.close();
    expect(countOf('pending_snapshots')).toBeGreaterThan(0);
    storage = new SqliteStorage(folder, storageDependencies());
    records = new Records(storage);
    pending = records.startPendingSnapshots();
    const part = { offset: 0, limit: 10, ascending: true };
    expect(await records.listSnapshots({ org, environment: 'all-299', part, now: 10 })).toEqual([
      { number: 1, from: 2, to: undefined, compliant: false },
    ]);
  });

  it('leaves one that cannot be created pending after three attempts, until the next look', async () => {
    await pending.stop();
    await report(2, 'web:1');
    const database = new DatabaseSync(join(folder, 'compliance.sqlite'));
    database.exec("UPDATE snapshots SET judgement = ''");
    database.exec("INSERT INTO pending_snapshots (org, environment, since, forced) VALUES ('acme', 'prod', 3, 1)");
    database.close();
    const clock = manualClock();
    pending = records.startPendingSnapshots(clock);
    while (clock.pending() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(countOf('pending_snapshots')).toBeGreaterThan(0);
  });

  it('is followed by them within ten seconds if they were left by another process', async () => {
    await pending.stop();
    const clock = manualClock();
    pending = records.startPendingSnapshots(clock);
    const other = new SqliteStorage(folder, storageDependencies());
    records = new Records(other);
    await report(2, 'web:1');
    await other.close();
    expect(countOf('pending_snapshots')).toBeGreaterThan(0);
    await clock.advance(10_000);
    while (countOf('pending_snapshots') > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await pending.stop();
    expect(clock.pending()).toBe(0);
  });

  it('leads to the current content and verdict, whatever happened in between', async () => {
    const rest = { description: '', visibility: undefined, repoUrl: undefined };
    await records.saveFlow({ org, name: 'web', template: [], ...rest }, 1);
    const artifact = sampleArtifact({ fingerprint: fingerprintOf('0') });
    await Promise.all([
      report(2, 'web:1'),
      report(3, 'web:2'),
      records.recordArtifact({ org, flow: 'web', id: 'a', createdAt: 4, reportedBy: user, report: artifact }),
    ]);
    for (const name of ['all-0', 'all-150', 'all-299']) {
      const finding = await records.findSnapshot(org, [{ environment: name, selector: { kind: 'latest' } }], 10);
      if (finding.outcome !== 'found') throw new TypeError(finding.outcome);
      expect(finding.snapshot.judgement.compliant).toBe(true);
      expect(await records.readRunning(finding)).toMatchObject([{ name: 'web:2' }]);
    }
  });

  it('is not forgotten by a new version of a policy of all of them', async () => {
    await report(2, 'web:1');
    await savePolicy('strict', {});
    for (const name of ['all-0', 'all-150', 'all-299']) expect((await verdictsOf(name)).at(-1)).toBe(true);
  });
});

it('makes no snapshot by a report that was sent before the environment was archived', async () => {
  await storage.transaction(org, ({ naming }) => naming.archive({ org, kind: 'environment', name: 'prod' }, 2));
  expect(await report(3, 'web:1')).toEqual({ outcome: 'nothing new' });
});

describe('patterns that take long', () => {
  const slow = (size: number): NonNullable<PolicyRules['artifacts']> => ({
    provenance: { required: true, exceptions: [{ if: `\${{ matches(artifact.name, "a(a|b){1,${size}}c") }}` }] },
  });
  const longNames = Array.from({ length: 40 }, (_, index) => `${'a'.repeat(500)}${index}`);

  it('let other requests in between, and lead to the verdict', async () => {
    await savePolicy('slow', slow(80));
    await records.attachPolicies({ org, environment: 'prod', policies: ['slow'], user }, 1);
    let turns = 0;
    let isDone = false;
    const countTurns = (): void => {
      turns += 1;
      if (!isDone) setImmediate(countTurns);
    };
    countTurns();
    const outcome = await report(2, ...longNames);
    isDone = true;
    expect(outcome).toEqual({ outcome: 'snapshot made' });
    expect(await verdictsOf('prod')).toEqual([false]);
    expect(turns).toBeGreaterThan(8);
  });

  it('lead to one snapshot for each version of the policy, whatever is recorded or reported before it is made', async () => {
    const evidenceFor = async (digits: string): Promise<void> => {
      const sent = sampleArtifact({ fingerprint: fingerprintOf(digits) });
      const artifact = { ...{ org, flow: 'web', id: digits, createdAt: 4, reportedBy: user }, report: sent };
      expect(await records.recordArtifact(artifact)).toBe('recorded');
    };
    const expectSnapshots = async (number: number): Promise<void> => {
      const verdicts = Array.from({ length: number }, () => false);
      expect([await verdictsOf('prod'), await verdictsOf('stage')]).toEqual([verdicts, verdicts]);
      expect(countOf('pending_snapshots')).toBe(0);
    };
    await records.saveFlow(
      { org, name: 'web', description: '', template: [], visibility: undefined, repoUrl: undefined },
      1,
    );
    await records.saveEnvironment({ org, name: 'stage', kind: 'K8S', user }, 1);
    await savePolicy('slow', {});
    for (const environment of ['prod', 'stage'])
      await records.attachPolicies({ org, environment, policies: ['slow', 'strict'], user }, 1);
    await report(2, ...longNames);
    const artifacts = toRunningArtifacts([pod('pod', { one: 'aaa', two: 'bbb' })], ['podName']);
    await records.recordReport({ org, environment: 'stage', kind: 'K8S', artifacts }, 2);
    await pending.stop();
    await savePolicy('slow', slow(80));
    await evidenceFor('0');
    await evidenceFor('aaa');
    await expectSnapshots(2);
    await savePolicy('slow', slow(81));
    await report(3, ...longNames, 'other');
    await expectSnapshots(3);
    await evidenceFor('1');
    await expectSnapshots(3);
  });

  it('lead to "not compliant" beyond the limit, with the reason', async () => {
    await savePolicy('slow', slow(190));
    await records.attachPolicies({ org, environment: 'prod', policies: ['slow'], user }, 1);
    await report(2, ...Array.from({ length: 100 }, (_, index) => `${'a'.repeat(2000)}${index}`));
    const finding = await records.findSnapshot(org, [{ environment: 'prod', selector: { kind: 'latest' } }], 10);
    expect(finding).toMatchObject({
      snapshot: {
        judgement: { compliant: false, unjudgeable: expect.stringContaining('30000000 steps') as unknown },
      },
    });
  });
});
