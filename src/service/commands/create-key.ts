import { parseArgs } from 'node:util';
import { violations } from '../../contract/check.ts';
import { userName } from '../../contract/names.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { createAdminKey } from '../account/admin-key-use-cases.ts';
import { prepareDataFolder } from '../platform/attachments/files/data-folder.ts';
import type { StorageOptions } from '../platform/database/open-storage.ts';
import { withOperatorStorage } from '../platform/database/operator-access.ts';
import type { StorageDependencies } from '../platform/database/storage.ts';
import { helpFlag, OptionError, withUsage } from './command-line.ts';
import { outputApiKey, requireOutput, type Terminal } from './output-api-key.ts';
import { defaultDataFolder, readDatabaseUrl, readDataFolder, readOrganization } from './service-options.ts';

export interface CreateKeyCommand extends Pick<StorageOptions, 'dataFolder' | 'database'> {
  readonly org: string;
  /** The owner of the key. Default: `admin` (or `admin-2`, …). */
  readonly user: string | undefined;
}

export const createKeyUsage = [
  'Usage: npm run service -- create-key --org NAME [options]',
  '',
  'Creates an API key with the role admin, for an organization whose last key was lost or revoked. The service may be running.',
  'The key is printed to a terminal, or else written to a file in the data folder that only this user can read.',
  '',
  '  --org NAME\n      an existing organization; or COMPLIANCE_SERVICE_ORG',
  '  --user NAME\n      the user who gets the key: an admin of the organization, or a new user (default admin)',
  '  --data FOLDER\n      the data folder (default service-data); or COMPLIANCE_SERVICE_DATA',
  '  --database URL\n      the PostgreSQL database, if the service uses one; or COMPLIANCE_SERVICE_DATABASE',
].join('\n');

/** @throws OptionError */
export function parseCreateKeyCommand(
  words: readonly string[],
  environment: EnvironmentVariables,
): CreateKeyCommand | 'help' {
  const text = { type: 'string' } as const;
  const options = { org: text, user: text, data: text, database: text, help: helpFlag };
  const { values } = withUsage(createKeyUsage, () => parseArgs({ args: [...words], options }));
  if (values.help === true) return 'help';
  const org = readOrganization(values.org, environment);
  if (org === undefined) throw new OptionError(`create-key requires --org\n\n${createKeyUsage}`);
  const { user } = values;
  if (user !== undefined && violations(userName, user).length > 0) {
    throw new OptionError(`--user ${user} is not a valid name of a user; use 1 to 64 letters, digits and -`);
  }
  const dataFolder = readDataFolder(values.data, environment) ?? defaultDataFolder;
  const url = readDatabaseUrl(values.database, environment);
  return { org, user, dataFolder, database: url === undefined ? undefined : { url } };
}

/**
 * Creates an API key with the role admin, and prints it or writes it to a file.
 *
 * @throws Error if there is no such organization, the user cannot have such a key, or the file still has an earlier key.
 */
export async function createKey(
  { org, user, dataFolder, database }: CreateKeyCommand,
  dependencies: StorageDependencies,
  terminal: Pick<Terminal, 'isInteractive' | 'writeLine'>,
): Promise<void> {
  await requireOutput(org, dataFolder, terminal);
  const isInFolder = database === undefined;
  // The folder of the file has to be usable before there is a key.
  if (!isInFolder && !terminal.isInteractive) await prepareDataFolder(dataFolder, terminal.writeLine);
  const created = await withOperatorStorage(
    { dataFolder, database },
    dependencies,
    (storage) => createAdminKey({ ...dependencies, storage }, { org, user, description: 'Created by the operator' }),
    { mayMigrate: true },
  );
  switch (created.outcome) {
    case 'organization not found': {
      const place = isInFolder ? `the data folder ${dataFolder}` : 'the database';
      throw new Error(`${place} has no organization ${org}; set --org to an existing one`);
    }
    case 'not an admin':
      throw new Error(`the user ${created.user} exists but is not an admin of ${org}; set --user to a new user`);
    case 'created':
      await outputApiKey({ org, key: created.key }, dataFolder, terminal);
  }
}
