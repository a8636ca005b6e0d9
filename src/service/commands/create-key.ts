import { violations } from '../../contract/check.ts';
import { userName } from '../../contract/names.ts';
import { createAdminKey } from '../account/admin-key-use-cases.ts';
import { prepareDataFolder } from '../platform/attachments/files/data-folder.ts';
import type { StorageOptions } from '../platform/database/open-storage.ts';
import { withOperatorStorage } from '../platform/database/operator-access.ts';
import { type CommandDependencies, databaseUsage, dataUsage, defineCommand, OptionError } from './command-line.ts';
import { outputApiKey, requireOutput } from './output-api-key.ts';
import { defaultDataFolder, readDatabaseUrl, readDataFolder, readOrganization } from './service-options.ts';

export interface CreateKeyCommand extends Pick<StorageOptions, 'dataFolder' | 'database'> {
  readonly org: string;
  /** The owner of the key. Default: `admin` (or `admin-2`, …). */
  readonly user: string | undefined;
}

const text = { type: 'string' } as const;

export const createKey = defineCommand({
  usage: [
    'Usage: npm run service -- create-key --org NAME [options]',
    '',
    'Creates an API key with the role admin, for an organization whose last key was lost or revoked. The service may be running.',
    'The key is printed to a terminal, or else written to a file in the data folder that only this user can read.',
    '',
    '  --org NAME\n      an existing organization; or COMPLIANCE_SERVICE_ORG',
    '  --user NAME\n      the user who gets the key: an admin of the organization, or a new user (default admin)',
    dataUsage,
    databaseUsage,
  ],
  options: { org: text, user: text, data: text, database: text },
  read: ({ values }, environment, usage): CreateKeyCommand => {
    const org = readOrganization(values.org, environment);
    if (org === undefined) throw new OptionError(`create-key requires --org\n\n${usage}`);
    const { user } = values;
    if (user !== undefined && violations(userName, user).length > 0) {
      throw new OptionError(`--user ${user} is not a valid name of a user; use 1 to 64 letters, digits and -`);
    }
    const dataFolder = readDataFolder(values.data, environment) ?? defaultDataFolder;
    const url = readDatabaseUrl(values.database, environment);
    return { org, user, dataFolder, database: url === undefined ? undefined : { url } };
  },
  carryOut: carryOutCreation,
});

/**
 * Creates an API key with the role admin, and prints it or writes it to a file.
 *
 * @throws Error if there is no such organization, the user cannot have such a key, or the file still has an earlier key.
 */
async function carryOutCreation(
  { org, user, dataFolder, database }: CreateKeyCommand,
  dependencies: CommandDependencies,
): Promise<void> {
  await requireOutput(org, dataFolder, dependencies);
  const isInFolder = database === undefined;
  // The folder of the file has to be usable before there is a key.
  if (!isInFolder && !dependencies.isInteractive) await prepareDataFolder(dataFolder, dependencies.writeLine);
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
      await outputApiKey({ org, key: created.key }, dataFolder, dependencies);
  }
}
