import { parseArgs } from 'node:util';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { helpFlag, OptionError, withUsage } from './command-line.ts';
import { defaultDataFolder, readDatabaseUrl, readDataFolder } from './service-options.ts';

export type BackupCommand =
  | { readonly name: 'backup'; readonly folder: string; readonly dataFolder: string; readonly leaveOutDamaged: boolean }
  | { readonly name: 'verify'; readonly folder: string }
  | {
      readonly name: 'restore';
      readonly folder: string;
      readonly dataFolder: string;
      readonly check: boolean;
      /** Whether the data folder was given; without one, a check verifies only the backup. */
      readonly isFolderNamed: boolean;
    }
  | { readonly name: 'help'; readonly usage: string };

const data = '  --data FOLDER\n      the data folder (default service-data); or COMPLIANCE_SERVICE_DATA';

const usages = {
  backup: [
    'Usage: npm run service -- backup DIR [options]',
    '',
    'Creates a backup of a data folder in DIR, which must be empty or not exist. The service may be running.',
    'The backup is complete when DIR has a manifest.json.',
    '',
    data,
    '  --leave-out-damaged',
    '      leaves damaged attachments out of the backup, instead of failing',
  ],
  verify: [
    'Usage: npm run service -- verify DIR',
    '',
    'Verifies the backup in DIR: the rows of every table, every attachment, and their SHA-256 digests.',
  ],
  restore: [
    'Usage: npm run service -- restore DIR [options]',
    '',
    'Verifies the backup in DIR and restores it to a data folder, which must be empty or not exist.',
    '',
    data,
    '  --check',
    '      verifies the backup and prints what a restore would do, without changing anything',
  ],
} as const;

const options = {
  backup: { data: { type: 'string' }, database: { type: 'string' }, 'leave-out-damaged': { type: 'boolean' } },
  verify: { database: { type: 'string' } },
  restore: { data: { type: 'string' }, database: { type: 'string' }, check: { type: 'boolean' } },
} as const;

type CommandName = keyof typeof usages;

function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(usages, word);
}

/**
 * Parses the arguments; returns undefined if they do not begin with one of the commands.
 *
 * @throws OptionError
 */
export function parseBackupCommand(
  words: readonly string[],
  environment: EnvironmentVariables,
): BackupCommand | undefined {
  const [name, ...rest] = words;
  if (!isCommand(name)) return undefined;
  const usage = usages[name].join('\n');
  const all = { ...options[name], help: helpFlag };
  const { values, positionals }: Parsed = withUsage(usage, () =>
    parseArgs({ args: rest, options: all, allowPositionals: true }),
  );
  if (values['help'] === true) return { name: 'help', usage };
  requireSqlite(name, values['database'], environment);
  const [folder, ...more] = positionals;
  if (folder === undefined || folder === '') throw new OptionError(`${name} requires a folder\n\n${usage}`);
  if (more.length > 0) throw new OptionError(`${name} takes only one folder\n\n${usage}`);
  const given = readDataFolder(values['data'], environment);
  const dataFolder = given ?? defaultDataFolder;
  switch (name) {
    case 'backup':
      return { name, folder, dataFolder, leaveOutDamaged: values['leave-out-damaged'] === true };
    case 'verify':
      return { name, folder };
    case 'restore':
      return { name, folder, dataFolder, check: values['check'] === true, isFolderNamed: given !== undefined };
  }
}

/** `verify` does not use the data of a service, so the variable, which is about the service, does not matter to it. */
function requireSqlite(name: CommandName, flag: unknown, environment: EnvironmentVariables): void {
  if (readDatabaseUrl(flag, name === 'verify' ? {} : environment) === undefined) return;
  throw new OptionError(
    `${name} is for a data folder with SQLite, but --database or COMPLIANCE_SERVICE_DATABASE names a PostgreSQL ` +
      'database; back that up with pg_dump or pg_basebackup, as docs/operate/postgresql.md says, or unset it',
  );
}

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}
