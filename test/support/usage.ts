import { expect } from '@jest/globals';
import type { TestStorage } from './test-storage.ts';

const recordTables = [
  ...['flows', 'trails', 'trail_updates', 'artifacts', 'attestations', 'environments', 'snapshots'],
  ...['policy_versions', 'notifications', 'custom_type_versions'],
];

const counts = recordTables.map((table) => `(SELECT count(*) FROM ${table} r WHERE r.org = o.org)`);

/** Expects that what is counted for each organization is what it has, and that the organizations have something. */
export async function expectExactUsage(query: TestStorage['query']): Promise<void> {
  // One statement, because a request of a run that was broken off may still write.
  const usage =
    await query(`SELECT u.org, u.records, u.attachment_bytes, o.org AS own_org, ${counts.join(' + ')} AS own_records,
    (SELECT coalesce(sum(attachment_size), 0) FROM attestations a WHERE a.org = o.org) AS own_bytes
    FROM organizations o LEFT JOIN usage u ON u.org = o.org ORDER BY o.org`);
  const counted = usage.map(({ org, records, attachment_bytes: bytes }) => [org, Number(records), Number(bytes)]);
  const recounted = usage.map(({ own_org: org, own_records: records, own_bytes: bytes }) => [
    org,
    Number(records),
    Number(bytes),
  ]);
  expect(counted).toEqual(recounted);
  expect(usage.some(({ records }) => Number(records) > 0)).toBe(true);
}
