import { expect, it } from '@jest/globals';
import { digestDocument } from '../../../src/service/log/entry.ts';
import { loggedTables, toDocument } from '../../../src/service/log/logged-table.ts';
import { findRecordedDocument } from '../../../src/service/log/renamed-row.ts';

it('a record that named an environment before another one got its name is not altered', () => {
  const [table] = loggedTables.filter(({ kind }) => kind === 'artifact');
  if (table === undefined) throw new Error('artifacts are not logged');
  const row = { flow: 'web', sequence: 1, fingerprint: 'ab', id: '1', counts_for: '["later"]' };
  const random = new Uint8Array(16);
  const document = toDocument(table, row);
  const entry = { sequence: 5, random, documentDigest: digestDocument(random, document) };
  const rename = { sequence: 9, kind: 'environment', former: 'prod', name: 'later' } as const;
  expect(findRecordedDocument(table, row, entry, [rename])).toBe(document);
  expect(findRecordedDocument(table, { ...row, counts_for: '["prod"]' }, entry, [rename])).toBeUndefined();
});
