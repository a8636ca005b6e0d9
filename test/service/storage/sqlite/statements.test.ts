import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../../src/service/storage/sqlite/database.ts';
import { artifactStatements } from '../../../../src/service/storage/sqlite/artifacts.ts';
import { environmentStatements } from '../../../../src/service/storage/sqlite/environments.ts';
import { policyStatements } from '../../../../src/service/storage/sqlite/policies.ts';
import { snapshotStatements } from '../../../../src/service/storage/sqlite/snapshots.ts';

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

  it.each(
    [artifactStatements, environmentStatements, snapshotStatements, policyStatements].flatMap((texts) =>
      Object.entries<string>(texts),
    ),
  )('%s looks up what it wants by an index, however much there is', (_name, statement) => {
    // The rows of a subquery are as few as what the subquery looked up; `m` is a list that is passed in.
    expect(planOf(statement).filter((step) => /^SCAN (?!l$|m VIRTUAL)/.test(step))).toEqual([]);
  });

  it('read a page of snapshots by the range of its numbers', () => {
    const [step, ...others] = planOf(snapshotStatements.listRange);
    expect(others).toEqual([]);
    expect(step).toContain('(org=? AND environment=? AND number>? AND number<?)');
  });

  it('find the reports of a fingerprint without reading other artifacts', () => {
    const searches = planOf(artifactStatements.listLatestByFlow).filter((step) => step.startsWith('SEARCH'));
    expect(searches).toEqual([
      expect.stringContaining('(org=? AND fingerprint=?)'),
      expect.stringContaining('(org=? AND flow=? AND sequence=?)'),
    ]);
  });

  it('end current appearances without reading former ones', () => {
    const searches = planOf(snapshotStatements.exit).filter((step) => step.startsWith('SEARCH'));
    expect(searches).toEqual([
      expect.stringMatching(/USING INDEX appearances_now \(org=\? AND environment=\? AND fingerprint=\?\)/u),
    ]);
  });
});
