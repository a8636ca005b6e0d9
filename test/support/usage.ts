import { expect } from '@jest/globals';
import type { TestStorage } from './test-storage.ts';

const recordTables = [
  ...['flows', 'trails', 'trail_updates', 'artifacts', 'attestations', 'environments', 'snapshots'],
  ...['policy_versions', 'notifications', 'custom_type_versions'],
];

const counts = recordTables.map((table) => `(SELECT count(*) FROM ${table} r WHERE r.org = o.org)`);

/** Expects that what is counted for each organization is what it has, and that the organizations have something. */
export async function expectExactUsage(query: TestStorage['query']): Promise<void> {
  const counted = await query('SELECT org, records, attachment_bytes FROM usage ORDER BY org');
  const recounted = await query(`SELECT o.org, ${counts.join(' + ')} AS records,
    (SELECT coalesce(sum(attachment_size), 0) FROM attestations a WHERE a.org = o.org) AS attachment_bytes
    FROM organizations o ORDER BY org`);
  const toNumbers = ({ org, records, attachment_bytes: bytes }: Readonly<Record<string, unknown>>): unknown => [
    ...[org, Number(records), Number(bytes)],
  ];
  expect(counted.map(toNumbers)).toEqual(recounted.map(toNumbers));
  expect(counted.some(({ records }) => Number(records) > 0)).toBe(true);
}
