import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// Defines the statements of all records.
import '../../../../../src/service/platform/database/storage.ts';
import { allStatements } from '../../../../../src/service/platform/database/database.ts';
import { openDatabase } from '../../../../../src/service/platform/database/sqlite/database.ts';

// Test files of one worker share the modules, and some define statements of their own.
const statements = [...allStatements.values()]
  .filter(({ name }) => !name.startsWith('test.'))
  .map(({ sqlite }) => sqlite);

describe('the query plans', () => {
  let folder: string;
  let database: DatabaseSync;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-storage-'));
    database = openDatabase(folder);
  });
  afterAll(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  const planOf = (statement: string): string[] =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${statement}`)
      .all()
      .map(({ detail }) => String(detail));
  const planOfOnly = (part: string): string[] => {
    const [statement, ...others] = statements.filter((text) => text.includes(part));
    expect(others).toEqual([]);
    return planOf(statement ?? '');
  };

  it('look up everything by an index, regardless of the number of rows', () => {
    expect(statements.length).toBeGreaterThan(50);
    // The ends of administration are those of all organizations.
    const lookups = statements.filter((statement) => !statement.includes('GROUP BY m.org'));
    // The rows of a subquery are as few as what the subquery looked up; virtual tables are lists that are passed in.
    const scans = lookups.map((statement) => {
      const plan = planOf(statement);
      const subqueries = plan.map((step) => /^(?:CO-ROUTINE|MATERIALIZE) (.*)$/.exec(step)?.[1]);
      const read = plan.filter((step) => /^SCAN (?!l$|oldest$|CONSTANT ROW|\w+ (?:EXISTS )?VIRTUAL TABLE)/.test(step));
      return { statement, scans: read.filter((step) => !subqueries.includes(step.slice('SCAN '.length))) };
    });
    expect(scans.filter((found) => found.scans.length > 0)).toEqual([]);
  });

  it('read a page of snapshots by the range of its numbers', () => {
    const [step, ...others] = planOfOnly('number BETWEEN ?3 AND ?4');
    expect(others).toEqual([]);
    expect(step).toContain('(org=? AND environment=? AND number>? AND number<?)');
  });

  it('find the reports of a fingerprint without reading other artifacts', () => {
    const searches = planOfOnly('GROUP BY fingerprint, flow').filter((step) => step.startsWith('SEARCH'));
    expect(searches).toEqual([
      expect.stringContaining('(org=? AND fingerprint=?)'),
      expect.stringContaining('(org=? AND flow=? AND sequence=?)'),
    ]);
  });

  it.each(["DISTINCT fingerprint || ''", "GROUP BY flow, fingerprint || ''"])(
    'find the artifacts of a commit without reading others (%s)',
    (part) => {
      const [search] = planOfOnly(part).filter((step) => step.startsWith('SEARCH'));
      expect(search).toMatch(/USING INDEX artifacts_by_commit \(org=\? AND <expr>=\?/u);
    },
  );

  it('find the trails of a commit without reading others', () => {
    const [search] = planOfOnly('ORDER BY t.rowid + 0 DESC');
    expect(search).toMatch(/USING INDEX trails_by_commit \(org=\? AND flow=\? AND <expr>=\?\)/u);
  });

  it('count the trails of a branch by state, and what fails most, without reading others', () => {
    const counts = planOfOnly("AND t.branch = ?5 AND t.state = 'COMPLIANT'");
    expect(counts).toContainEqual(
      expect.stringMatching(
        /COVERING INDEX trails_by_branch_and_state \(org=\? AND flow=\? AND branch=\? AND state=\? AND created_at>\?/u,
      ),
    );
    expect(planOfOnly('FROM trails t WHERE t.org = ?1 AND t.state <>')).toContainEqual(
      expect.stringMatching(/USING INDEX trails_not_compliant \(org=\? AND created_at>\?\)/u),
    );
  });

  it('end current appearances without reading former ones', () => {
    const searches = planOfOnly('UPDATE appearances INDEXED').filter((step) => step.startsWith('SEARCH'));
    expect(searches).toEqual([
      expect.stringMatching(/USING INDEX appearances_now \(org=\? AND environment=\? AND fingerprint=\?\)/u),
    ]);
  });
});
