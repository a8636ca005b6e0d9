import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../src/service/platform/database/sqlite/migrations.ts';

// Migrates the database in the first argument, and is killed before the migration to the version in the second one is
// committed.

const [, , path = '', version = ''] = process.argv;

class KilledDatabase extends DatabaseSync {
  override exec(sql: string): void {
    if (!sql.includes(`PRAGMA user_version = ${version};`)) {
      super.exec(sql);
      return;
    }
    super.exec(sql.replace(/COMMIT;$/u, ''));
    process.kill(process.pid, 'SIGKILL');
  }
}

const database = new KilledDatabase(path);
database.exec('PRAGMA journal_mode = WAL;');
migrate(database, path);
