import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
// Defines the statements of all records.
import '../../../src/service/platform/database/storage.ts';
import { findLoggedWrite, loggedTables } from '../../../src/service/log/logged-table.ts';
import { allStatements } from '../../../src/service/platform/database/database.ts';
import { migrate } from '../../../src/service/platform/database/sqlite/migrations.ts';

/** The tables without entries, by the reason. */
const others = {
  'no verdict rests on them': [
    ...['notifications', 'notification_subjects', 'notification_targets', 'deliveries', 'broadcasts'],
    ...['sessions', 'key_uses', 'remembered_answers', 'usage', 'organizations'],
  ],
  'their changes are events of the audit log': ['api_keys'],
  'they follow from attestations and snapshots': [
    ...[
      'bindings',
      'current_evidence',
      'limited_evidence',
      'search_words',
      'recorder_evidence',
      'appearances',
      'pending_snapshots',
    ],
    'environment_reports',
  ],
  'they are the log': ['log_entries', 'log_hashes', 'log_heads', 'log_unfinished'],
};

const database = new DatabaseSync(':memory:');
migrate(database, 'memory');

describe('the tables whose records are entries of the log', () => {
  it('are all but those that need none', () => {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const known = [...Object.values(others).flat(), ...loggedTables.map(({ table }) => table)];
    expect(tables.map(({ name }) => name).sort()).toEqual(known.sort());
  });

  it('have all columns in their documents but those that do not matter', () => {
    const left = loggedTables.map(({ table, columns }) => {
      const all = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
      return [table, all.map(({ name }) => String(name)).filter((name) => name !== 'org' && !columns.includes(name))];
    });
    expect(Object.fromEntries(left.filter(([, names]) => names?.length !== 0))).toEqual({
      flows: ['last_modified_at', 'rejudge_before'],
      trails: ['state', 'rejudge_at', 'state_since', 'faults', 'branch'],
      attestations: ['stepped_back'],
      environments: ['latest', 'last_modified_at'],
      snapshots: ['stepped_back'],
      removed_attachments: ['is_finished'],
      policies: ['last_modified_at'],
      members: ['is_default'],
      github_answers: [
        ...['installation_id', 'flow', 'due_at', 'claimed_by', 'claimed_until', 'attempts', 'last_error'],
      ],
    });
  });

  it('are written by statements that return the documents, except for renames and what is in no document', () => {
    const tables = loggedTables.map(({ table }) => table).join('|');
    const writes = new RegExp(`(?:INSERT INTO|UPDATE|DELETE FROM)\\s+(?:${tables})\\b`, 'u');
    const unlogged = [...allStatements.values()].filter(
      ({ name, postgres, logged }) => writes.test(postgres) && logged === undefined && !name.startsWith('rename'),
    );
    expect(unlogged.map(({ name }) => name).sort()).toEqual([
      ...['accounts.clearDefault', 'accounts.setDefault', 'github_answers.claim', 'github_answers.delete'],
      ...['github_answers.deleteOfFlow', 'github_answers.deleteOld', 'github_answers.rearm'],
      ...['github_answers.recordFailure', 'github_answers.release', 'github_answers.rename', 'github_answers.request'],
      ...['github_answers.resume', 'github_answers.setArtifactDue', 'github_answers.setChecksDue'],
      ...['github_answers.setDeploymentsDue', 'github_answers.setFlowDue', 'github_answers.setTrailDue'],
      ...['removed_attachments.finish', 'snapshots.setLatest', 'trails.markFlow'],
      ...['trails.markOfArtifact', 'trails.markOrg', 'trails.markRelated', 'trails.saveVerdict'],
    ]);
    expect(findLoggedWrite('test.save', 'UPDATE environments SET tags = $3, latest = $4')?.table.kind).toBe(
      'environment',
    );
  });
});
