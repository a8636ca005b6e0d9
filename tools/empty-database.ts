import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../src/service/platform/database/sqlite/migrations.ts';

/** A SQLite database with all tables and no rows. Copying it is much faster than migrating one for every test. */
export const emptyDatabase: Uint8Array = createEmptyDatabase();

function createEmptyDatabase(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'compliance-service-'));
  try {
    const path = join(folder, 'empty.sqlite');
    const database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
    migrate(database, path);
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
