import { describe, expect, it } from '@jest/globals';
import { always, performOperation, reportFacts, reportTables } from '../support/perform-operation.ts';

const web = {
  fingerprint: 'a'.repeat(64),
  name: 'web:1',
  most_recent_timestamp: 1_767_323_045,
  flow: 'web',
  commit_url: `https://github.com/acme/web/commit/${'c'.repeat(40)}`,
  instance_count: 2,
  s1_instance_count: 0,
  s2_instance_count: 2,
  pods: ['web-1', 'web-2'],
};
const none = { snapshot_id: '', artifacts: [] };
const inputs = { 'snapshot-1': 'prod#3', 'snapshot-2': 'prod' };

describe('diff-environments', () => {
  it('shows what was added, removed and changed from snapshot 1 to snapshot 2', async () => {
    const difference = {
      snappish1: { snapshot_id: 'prod#3', artifacts: [{ fingerprint: 'b'.repeat(64), name: 'old:1' }] },
      snappish2: { snapshot_id: 'prod#5', artifacts: [web] },
      changed: {
        artifacts: [{ ...web, name: 'api:1', s1_instance_count: 1, s2_instance_count: 3 }],
      },
      'not-changed': { artifacts: [web, web] },
    };
    const { result, sent } = await performOperation('diff-environments', inputs, always(200, difference));
    expect(sent).toEqual(['GET /env-diff/acme?snappish1=prod%233&snappish2=prod']);
    expect(result).toMatchObject({
      outcome: 'done',
      state: 'different',
      conclusion: 'From prod#3 to prod: 1 added, 1 removed, 1 changed, 2 unchanged.',
      response: difference,
    });
    expect(reportFacts(result)).toMatchObject({ 'Snapshot 1': 'prod#3', 'Snapshot 2': 'prod (prod#5)' });
    const [when, commit, pods] = ['2026-01-02T03:04:05Z', 'cccccccccccc', 'web-1, web-2'];
    expect(reportTables(result)).toEqual({
      '➕ Added: only in snapshot 2 (1)': [['web:1', 'a'.repeat(64), 'web', '0 → 2', when, commit, pods]],
      '➖ Removed: only in snapshot 1 (1)': [['old:1', 'b'.repeat(64), '', '', '', '', '']],
      '🔁 Changed: different number of instances (1)': [['api:1', 'a'.repeat(64), 'web', '1 → 3', when, commit, pods]],
    });
    expect(result.report.tables?.[0]?.rows[0]?.[5]?.href).toBe(web.commit_url);
  });

  it('reports if nothing differs', async () => {
    const difference = { snappish1: none, snappish2: none, changed: none, 'not-changed': { artifacts: [web] } };
    const { result } = await performOperation('diff-environments', inputs, always(200, difference));
    expect(result).toMatchObject({ state: 'same', report: { tables: [] } });
    expect(result.conclusion).toBe('Nothing differs between prod#3 and prod: both run the same 1 artifact.');
  });
});
