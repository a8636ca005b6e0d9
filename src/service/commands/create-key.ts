import { parseArgs } from 'node:util';
import { violations } from '../../contract/check.ts';
import { userName } from '../../contract/names.ts';
import type { Now } from '../../runtime/clock.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { RandomBytes } from '../../runtime/random.ts';
import { errorMessage } from '../../runtime/failure.ts';
import { createAdminKey } from '../application/admin-keys.ts';
import { outputApiKey, type Terminal } from './output-api-key.ts';
import { OptionError } from './option-error.ts';
import { defaultDataFolder, readDataFolder, readOrganization } from './service-options.ts';
import { withOperatorStorage } from '../storage/sqlite/operator-access.ts';

/** The options of `create-key`. */
export interface CreateKeyCommand {
  readonly dataFolder: string;
  readonly org: string;
  /** The owner of the key. Default: `admin` (or `admin-2`, …). */
  readonly user: string | undefined;
}

/** The help text. */
export const createKeyUsage = [
  'Usage: npm run service -- create-key --org NAME [options]',
  '',
  'Creates an API key with the role admin, for an organization whose last key was lost or revoked. The service may be running.',
  'The key is printed to a terminal, or else written to a file in the data folder that only this user can read.',
  '',
  '  --org NAME\n      an existing organization; or COMPLIANCE_SERVICE_ORG',
  '  --user NAME\n      the user who gets the key: an admin of the organization, or a new user (default admin)',
  '  --data FOLDER\n      the data folder (default service-data); or COMPLIANCE_SERVICE_DATA',
].join('\n');

/**
 * Parses the arguments after `create-key`.
 *
 * @throws OptionError
 */
export function parseCreateKeyCommand(
  words: readonly string[],
  environment: EnvironmentVariables,
): CreateKeyCommand | 'help' {
  const values = parse(words);
  if (values.help === true) return 'help';
  const org = readOrganization(values.org, environment);
  if (org === undefined) throw new OptionError(`create-key requires --org\n\n${createKeyUsage}`);
  const { user } = values;
  if (user !== undefined && violations(userName, user).length > 0) {
    throw new OptionError(`--user ${user} is not a valid name of a user; use 1 to 64 letters, digits and -`);
  }
  return { org, user, dataFolder: readDataFolder(values.data, environment) ?? defaultDataFolder };
}

interface Values {
  readonly org?: string | undefined;
  readonly user?: string | undefined;
  readonly data?: string | undefined;
  readonly help?: boolean | undefined;
}

function parse(words: readonly string[]): Values {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean', short: 'h' }] as const;
  try {
    return parseArgs({ args: [...words], options: { org: text, user: text, data: text, help: flag } }).values;
  } catch (error) {
    throw new OptionError(`${errorMessage(error)}\n\n${createKeyUsage}`, { cause: error });
  }
}

/**
 * Creates an API key with the role admin, and prints it or writes it to a file.
 *
 * @throws Error if there is no such organization, or the user cannot have such a key.
 */
export async function createKey(
  { org, user, dataFolder }: CreateKeyCommand,
  sources: { readonly now: Now; readonly randomBytes: RandomBytes },
  terminal: Pick<Terminal, 'isInteractive' | 'writeLine'>,
): Promise<void> {
  const created = await withOperatorStorage(dataFolder, (storage) =>
    createAdminKey({ storage, ...sources }, { org, user, description: 'Created by the operator' }),
  );
  switch (created.outcome) {
    case 'organization not found':
      throw new Error(`the data folder ${dataFolder} has no organization ${org}; set --org to an existing one`);
    case 'not an admin':
      throw new Error(`the user ${created.user} exists but is not an admin of ${org}; set --user to a new user`);
    case 'created':
      await outputApiKey({ org, key: created.key }, dataFolder, terminal);
  }
}
