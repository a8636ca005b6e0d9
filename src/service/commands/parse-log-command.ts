import type { KeyObject } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { DatabaseOptions } from '../platform/database/postgres/open-postgres.ts';
import { helpFlag, OptionError, withUsage } from './command-line.ts';
import { parseSigningKeySetting, signingKeyVariable } from './parse-signing-key.ts';
import {
  defaultDataFolder,
  parsePublicUrl,
  readDatabase,
  readDataFolder,
  readOrganization,
} from './service-options.ts';

export type LogCommand =
  | { readonly name: 'help'; readonly usage: string }
  | {
      readonly name: 'verify';
      readonly dataFolder: string;
      readonly database: DatabaseOptions | undefined;
      /** The paths of checkpoints that were kept. */
      readonly checkpoints: readonly string[];
      readonly verifierKeys: readonly string[];
    }
  | {
      readonly name: 'verifier-key';
      /** The keys in an environment variable; undefined if they are in the data folder. */
      readonly keys: readonly KeyObject[] | undefined;
      readonly dataFolder: string;
      readonly org: string;
      readonly publicUrl: string;
    }
  | { readonly name: 'rotate-signing-key'; readonly file: SigningKeyFile; readonly end: boolean };

/** Where the signing keys are: the file of the operator, or that of a data folder. */
export type SigningKeyFile = { readonly path: string } | { readonly dataFolder: string };

const data = '  --data FOLDER\n      the data folder (default service-data); or COMPLIANCE_SERVICE_DATA';

const usages = {
  verify: [
    'Usage: npm run service -- verify [--data FOLDER | --database URL] [--checkpoint FILE] [options]',
    '       npm run service -- verify DIR',
    '',
    'Verifies the transparency log of each organization: records, attachments and the hash tree, and that it continues',
    'every given checkpoint. Names what is altered, missing or extra. Changes nothing; the service may be running.',
    'With DIR, verifies the backup in DIR: the rows of every table, every attachment, and their SHA-256 digests.',
    '',
    data,
    '  --database URL\n      the PostgreSQL database, if the service uses one; or COMPLIANCE_SERVICE_DATABASE',
    '  --attachments URL\n      the S3-compatible storage of attachments, if there is one; or COMPLIANCE_SERVICE_ATTACHMENTS',
    '  --checkpoint FILE\n      a checkpoint that was kept; can be repeated',
    '  --verifier-key KEY\n      a public key of the service, which must have signed the checkpoints; can be repeated',
  ],
  'verifier-key': [
    'Usage: npm run service -- verifier-key --org NAME --public-url URL [options]',
    '',
    'Prints the public keys that verify the transparency log of an organization, in the form of C2SP and as PEM.',
    '',
    '  --org NAME\n      the organization; or COMPLIANCE_SERVICE_ORG',
    '  --public-url URL\n      the address of the service; or COMPLIANCE_SERVICE_PUBLIC_URL',
    data,
  ],
  'rotate-signing-key': [
    'Usage: npm run service -- rotate-signing-key [--end] [options]',
    '',
    `Adds a new signing key to the file of ${signingKeyVariable}_FILE, or else of the data folder. After the next start of`,
    'the service, it and the keys before it sign. With --end, the keys before the newest are removed.',
    '',
    '  --end\n      removes all keys but the newest',
    data,
  ],
} as const;

const text = { type: 'string' } as const;
const several = { type: 'string', multiple: true } as const;

/**
 * Parses the arguments; returns undefined if they do not begin with one of the commands. `verify DIR` is another
 * command, which verifies a backup.
 *
 * @throws OptionError
 */
export function parseLogCommand(words: readonly string[], environment: EnvironmentVariables): LogCommand | undefined {
  const [name, ...args] = words;
  switch (name) {
    case 'verify':
      return parseVerify(args, environment);
    case 'verifier-key':
      return parseVerifierKey(args, environment);
    case 'rotate-signing-key': {
      const options = { data: text, end: { type: 'boolean' }, help: helpFlag } as const;
      const { values } = withUsage(usageOf(name), () => parseArgs({ args, options }));
      if (values.help === true) return { name: 'help', usage: usageOf(name) };
      return { name, file: findKeyFile(values.data, environment), end: values.end === true };
    }
    default:
      return undefined;
  }
}

const usageOf = (name: keyof typeof usages): string => usages[name].join('\n');

function parseVerify(args: string[], environment: EnvironmentVariables): LogCommand | undefined {
  const options = {
    ...{ data: text, database: text, attachments: text, help: helpFlag },
    ...{ checkpoint: several, 'verifier-key': several },
  } as const;
  const usage = usageOf('verify');
  const { values, positionals } = withUsage(usage, () => parseArgs({ args, options, allowPositionals: true }));
  if (values.help === true) return { name: 'help', usage };
  if (positionals.length > 0) return undefined;
  const isNamed = values.data !== undefined || values.database !== undefined;
  if (!isNamed && values.checkpoint === undefined)
    throw new OptionError(`verify requires a folder, --data, --database or --checkpoint\n\n${usage}`);
  return {
    name: 'verify',
    dataFolder: readDataFolder(values.data, environment) ?? defaultDataFolder,
    database: findDatabase(values, environment),
    checkpoints: values.checkpoint ?? [],
    verifierKeys: values['verifier-key'] ?? [],
  };
}

/**
 * A folder on the command line takes precedence over a database in the environment.
 *
 * @throws OptionError
 */
function findDatabase(
  { data, ...flags }: { readonly data?: string; readonly database?: string; readonly attachments?: string },
  environment: EnvironmentVariables,
): DatabaseOptions | undefined {
  if (data === undefined) return readDatabase(flags, environment);
  if (flags.database === undefined && flags.attachments === undefined) return undefined;
  throw new OptionError(
    'verify takes either --data, or --database with --attachments; leave out what does not belong to the service',
  );
}

function parseVerifierKey(args: string[], environment: EnvironmentVariables): LogCommand {
  const options = { data: text, org: text, 'public-url': text, help: helpFlag } as const;
  const usage = usageOf('verifier-key');
  const { values } = withUsage(usage, () => parseArgs({ args, options }));
  if (values.help === true) return { name: 'help', usage };
  const org = readOrganization(values.org, environment);
  const publicUrl = parsePublicUrl(values['public-url'] ?? environment['COMPLIANCE_SERVICE_PUBLIC_URL']);
  if (org !== undefined && publicUrl !== undefined)
    return {
      ...{ name: 'verifier-key', org, publicUrl, keys: parseSigningKeySetting(environment) },
      dataFolder: readDataFolder(values.data, environment) ?? defaultDataFolder,
    };
  throw new OptionError(
    `verifier-key requires --org and --public-url, because both are in the name of the key\n\n${usage}`,
  );
}

/** @throws OptionError if the keys are in a variable, which a command cannot change */
function findKeyFile(folder: string | undefined, environment: EnvironmentVariables): SigningKeyFile {
  const { [signingKeyVariable]: key = '', [`${signingKeyVariable}_FILE`]: path = '' } = environment;
  if (key !== '')
    throw new OptionError(
      `${signingKeyVariable} holds the key itself; move it to a file, and name that in ${signingKeyVariable}_FILE`,
    );
  return path === '' ? { dataFolder: readDataFolder(folder, environment) ?? defaultDataFolder } : { path };
}
