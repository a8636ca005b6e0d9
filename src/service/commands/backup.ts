import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { createBackup } from '../platform/database/backup/create-backup.ts';
import type { Manifest } from '../platform/database/backup/manifest.ts';
import { requireRestorable, restoreBackup } from '../platform/database/backup/restore-backup.ts';
import { verifyBackup } from '../platform/database/backup/verify-backup.ts';
import { translateError } from '../platform/database/sqlite/database.ts';
import { StorageError } from '../platform/database/storage-error.ts';
import { dataUsage, defineCommand, OptionError } from './command-line.ts';
import { defaultDataFolder, readDatabaseUrl, readDataFolder } from './service-options.ts';

const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;

export const backup = defineCommand({
  usage: [
    'Usage: npm run service -- backup DIR [options]',
    '',
    'Creates a backup of a data folder in DIR, which must be empty or not exist. The service may be running.',
    'The backup is complete when DIR has a manifest.json.',
    '',
    dataUsage,
    '  --leave-out-damaged',
    '      leaves damaged attachments out of the backup, instead of failing',
  ],
  options: { data: text, database: text, 'leave-out-damaged': flag },
  takesFolder: true,
  read: ({ values, positionals }, environment, usage) => {
    requireSqlite('backup', values.database, environment);
    return {
      target: requireFolder('backup', positionals, usage),
      dataFolder: readDataFolder(values.data, environment) ?? defaultDataFolder,
      leaveOutDamaged: values['leave-out-damaged'] === true,
    };
  },
  carryOut: async (request, { now, writeLine }) => {
    const { dataFolder, target } = request;
    const manifest = await withRoom(target, () => createBackup({ ...request, now }));
    writeLine(`backed up ${dataFolder} to ${target}: ${describe(manifest)}`);
  },
});

export const verifyFolder = defineCommand({
  usage: [
    'Usage: npm run service -- verify DIR',
    '',
    'Verifies the backup in DIR: the SHA-256 digests of the database and of every attachment.',
  ],
  options: { database: text },
  takesFolder: true,
  read: ({ values, positionals }, _environment, usage) => {
    // A backup is verified without the data of a service, so the variable is ignored.
    requireSqlite('verify', values.database, {});
    return requireFolder('verify', positionals, usage);
  },
  carryOut: async (folder, { writeLine }) => {
    const { manifest } = await verifyBackup(folder);
    writeLine(`the backup ${folder} is complete: ${describe(manifest)}`);
  },
});

export const restore = defineCommand({
  usage: [
    'Usage: npm run service -- restore DIR [options]',
    '',
    'Verifies the backup in DIR and restores it to a data folder, which must be empty or not exist.',
    '',
    dataUsage,
    '  --check',
    '      verifies the backup and prints what a restore would do, without changing anything',
  ],
  options: { data: text, database: text, check: flag },
  takesFolder: true,
  read: ({ values, positionals }, environment, usage) => {
    requireSqlite('restore', values.database, environment);
    const folder = requireFolder('restore', positionals, usage);
    return { folder, check: values.check === true, given: readDataFolder(values.data, environment) };
  },
  carryOut: async ({ folder, check, given }, { writeLine }) => {
    const verified = await verifyBackup(folder);
    const what = describe(verified.manifest);
    const dataFolder = given ?? defaultDataFolder;
    if (!check) {
      await withRoom(dataFolder, () => restoreBackup(verified, dataFolder));
      writeLine(`restored ${folder} to ${dataFolder}: ${what}`);
      return;
    }
    writeLine(`the backup ${folder} is complete: ${what}`);
    if (given === undefined) {
      const remedy = 'set --data to check that folder, too; nothing was changed';
      writeLine(`a restore would write it to an empty folder; ${remedy}`);
    } else {
      await requireRestorable(verified, given);
      writeLine(`a restore would write it to ${given}; nothing was changed`);
    }
  },
});

function requireFolder(name: string, [folder = '', ...more]: readonly string[], usage: string): string {
  if (folder === '') throw new OptionError(`${name} requires a folder\n\n${usage}`);
  if (more.length > 0) throw new OptionError(`${name} takes only one folder\n\n${usage}`);
  return folder;
}

function requireSqlite(name: string, flag: unknown, environment: EnvironmentVariables): void {
  if (readDatabaseUrl(flag, environment) === undefined) return;
  throw new OptionError(
    `${name} is for a data folder with SQLite, but --database or COMPLIANCE_SERVICE_DATABASE names a PostgreSQL ` +
      'database; back that up with pg_dump or pg_basebackup, as docs/operate/postgresql.md says, or unset it',
  );
}

function describe(manifest: Manifest): string {
  const { made_at: madeAt, schema_version: version, database, attachments } = manifest;
  const tables = Object.values(database.rows);
  const rows = tables.reduce((sum, count) => sum + count, 0);
  const { left_out: leftOut } = attachments;
  const without =
    leftOut.length === 0 ? '' : `\nwithout damaged attachments (${leftOut.length}): ${leftOut.join(', ')}`;
  return (
    `made at ${madeAt}, ${rows} rows in ${tables.length} tables (version ${version}, ${database.bytes} bytes), ` +
    `${attachments.files} attachments (${attachments.bytes} bytes), every SHA-256 as recorded${without}`
  );
}

/** Names the folder if the disk is full, because the system's own message does not. */
async function withRoom<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const fault = translateError(error);
    if (!(fault instanceof StorageError) || fault.reason !== 'full') throw error;
    const remedy = `free some space, delete ${folder}, and run the command again`;
    throw new Error(`the disk of ${folder} is full, so the folder is incomplete; ${remedy}`, {
      cause: error,
    });
  }
}
