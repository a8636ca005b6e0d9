import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { type Checkpoint, parseCheckpoint, toLogOrigin } from '../../runtime/transparency-log/checkpoint.ts';
import {
  isSignedBy,
  parseVerifierKey,
  renderVerifierKey,
  type VerifierKey,
} from '../../runtime/transparency-log/verifier-key.ts';
import { type KnownHead, verifyLog } from '../log/verify-log-use-cases.ts';
import type { StorageOptions } from '../platform/database/open-storage.ts';
import { withOperatorStorage } from '../platform/database/operator-access.ts';
import { verifyFolder } from './backup.ts';
import { type CommandDependencies, databaseUsage, dataUsage, defineCommand, OptionError } from './command-line.ts';
import { toFileError } from './file-error.ts';
import { parseSigningKeySetting, signingKeyVariable } from './parse-signing-key.ts';
import {
  defaultDataFolder,
  parsePublicUrl,
  readDatabase,
  readDataFolder,
  readOrganization,
} from './service-options.ts';
import { addSigningKey, endRotation, readSigningKeys, signingKeyPath } from './signing-key-file.ts';

const text = { type: 'string' } as const;
const several = { type: 'string', multiple: true } as const;

interface Verification extends Pick<StorageOptions, 'dataFolder' | 'database'> {
  /** The paths of checkpoints that were kept. */
  readonly checkpoints: readonly string[];
  readonly verifierKeys: readonly string[];
}

export const verify = defineCommand({
  usage: [
    'Usage: npm run service -- verify [--data FOLDER | --database URL] [--checkpoint FILE] [options]',
    '       npm run service -- verify DIR',
    '',
    'Verifies the transparency log of each organization: records, attachments and the hash tree, and that it continues',
    'every given checkpoint. Names what is altered, missing or extra. Changes nothing; the service may be running.',
    'With DIR, verifies the backup in DIR: the SHA-256 digests of the database and of every attachment.',
    '',
    dataUsage,
    databaseUsage,
    '  --attachments URL\n      the S3-compatible storage of attachments, if there is one; or COMPLIANCE_SERVICE_ATTACHMENTS',
    '  --checkpoint FILE\n      a checkpoint that was kept; can be repeated',
    '  --verifier-key KEY\n      a public key of the service, which must have signed the checkpoints; can be repeated',
  ],
  options: { data: text, database: text, attachments: text, checkpoint: several, 'verifier-key': several },
  takesFolder: true,
  read: ({ values, positionals, words }, environment, usage): Verification | string | undefined => {
    if (positionals.length > 0) return verifyFolder.parse(words, environment);
    const dataFolder = readDataFolder(values.data, environment);
    const database = findDatabase(values, environment);
    if (dataFolder === undefined && database === undefined && values.checkpoint === undefined)
      throw new OptionError(`verify requires a folder, --data, --database or --checkpoint\n\n${usage}`);
    return {
      dataFolder: dataFolder ?? defaultDataFolder,
      database,
      checkpoints: values.checkpoint ?? [],
      verifierKeys: values['verifier-key'] ?? [],
    };
  },
  carryOut: (request, dependencies) =>
    typeof request === 'string' ? verifyFolder.carryOut(request, dependencies) : verifyLogs(request, dependencies),
});

export const verifierKey = defineCommand({
  usage: [
    'Usage: npm run service -- verifier-key --org NAME --public-url URL [options]',
    '',
    'Prints the public keys that verify the transparency log of an organization, in the form of C2SP and as PEM.',
    '',
    '  --org NAME\n      the organization; or COMPLIANCE_SERVICE_ORG',
    '  --public-url URL\n      the address of the service; or COMPLIANCE_SERVICE_PUBLIC_URL',
    dataUsage,
  ],
  options: { data: text, org: text, 'public-url': text },
  read: ({ values }, environment, usage) => {
    const org = readOrganization(values.org, environment);
    const publicUrl = parsePublicUrl(values['public-url'] ?? environment['COMPLIANCE_SERVICE_PUBLIC_URL']);
    if (org === undefined || publicUrl === undefined)
      throw new OptionError(
        `verifier-key requires --org and --public-url, because both are in the name of the key\n\n${usage}`,
      );
    const path = signingKeyPath(readDataFolder(values.data, environment) ?? defaultDataFolder);
    return { org, publicUrl, keys: parseSigningKeySetting(environment), path };
  },
  carryOut: async ({ org, publicUrl, keys, path }, { writeLine }) => {
    const origin = toLogOrigin(publicUrl, org);
    for (const key of keys ?? (await readSigningKeys(path))) {
      writeLine(renderVerifierKey(origin, key));
      writeLine(createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString().trimEnd());
    }
  },
});

export const rotateSigningKey = defineCommand({
  usage: [
    'Usage: npm run service -- rotate-signing-key [--end] [options]',
    '',
    `Adds a new signing key to the file of ${signingKeyVariable}_FILE, or else of the data folder. After the next start of`,
    'the service, it and the keys before it sign. With --end, the keys before the newest are removed.',
    '',
    '  --end\n      removes all keys but the newest',
    dataUsage,
  ],
  options: { data: text, end: { type: 'boolean' } },
  read: ({ values }, environment) => ({ path: findKeyFile(values.data, environment), end: values.end === true }),
  carryOut: async ({ path, end }, { writeLine }) => {
    const keys = await (end ? endRotation(path) : addSigningKey(path));
    const what = end ? 'only the newest key is left' : `${keys.length} keys will sign, a new one first`;
    writeLine(
      `${path}: ${what}; restart the service, and give the output of verifier-key to everyone who verifies the log`,
    );
  },
});

/**
 * A folder on the command line takes precedence over a database in the environment.
 *
 * @throws OptionError
 */
function findDatabase(
  { data, ...flags }: { readonly data?: string; readonly database?: string; readonly attachments?: string },
  environment: EnvironmentVariables,
): StorageOptions['database'] {
  if (data === undefined) return readDatabase(flags, environment);
  if (flags.database === undefined && flags.attachments === undefined) return undefined;
  throw new OptionError(
    'verify takes either --data, or --database with --attachments; leave out what does not belong to the service',
  );
}

/** @throws OptionError if the keys are in a variable, which a command cannot change */
function findKeyFile(folder: string | undefined, environment: EnvironmentVariables): string {
  const { [signingKeyVariable]: key = '', [`${signingKeyVariable}_FILE`]: path = '' } = environment;
  if (key !== '')
    throw new OptionError(
      `${signingKeyVariable} holds the key itself; move it to a file, and name that in ${signingKeyVariable}_FILE`,
    );
  return path === '' ? signingKeyPath(readDataFolder(folder, environment) ?? defaultDataFolder) : path;
}

async function verifyLogs(
  { dataFolder, database, checkpoints, verifierKeys }: Verification,
  dependencies: CommandDependencies,
): Promise<void> {
  const { writeLine } = dependencies;
  const keys = verifierKeys.map(requireVerifierKey);
  const known: (KnownHead & { readonly org: string })[] = [];
  for (const path of checkpoints) {
    const { origin, size, root } = await readCheckpoint(path, keys);
    known.push({
      org: decodeURIComponent(origin.split('/log/').at(-1) ?? ''),
      size,
      root,
      name: `the checkpoint ${path}`,
    });
  }
  if (known.length > 0 && keys.length === 0)
    writeLine('the signatures of the checkpoints were not verified; set --verifier-key to verify them');
  let problems = 0;
  const report = (problem: string): void => {
    problems += 1;
    writeLine(problem);
  };
  await withOperatorStorage({ dataFolder, database }, dependencies, async (storage, openAttachments) => {
    const attachments = await openAttachments();
    const organizations = await storage.read((records) => records.organizations.list());
    if (organizations.length === 0 && known.length === 0)
      throw new Error(
        'there is nothing to verify: the database has no organization; ' +
          'name the database of the service with --data or --database',
      );
    for (const { org, name } of known.filter((each) => !organizations.includes(each.org)))
      report(`missing: the organization ${org} of ${name}`);
    for (const org of organizations) {
      const heads = known.filter((each) => each.org === org);
      const found = await verifyLog(
        {
          storage,
          attachments,
          report: (problem) => {
            report(`${org}: ${problem}`);
          },
        },
        org,
        heads,
      );
      const root = Buffer.from(found.root).toString('base64');
      const late = found.late === 0 ? '' : `, ${found.late} of them entered later`;
      const removed = found.removedAttachments === 0 ? '' : ` and ${found.removedAttachments} removed ones`;
      writeLine(`${org}: ${found.size} entries${late}, ${found.attachments} attachments${removed}, root ${root}`);
      if (found.unentered > 0)
        writeLine(
          `${org}: ${found.unentered} records are older than the log and not entered yet; start the service to enter them`,
        );
      if (heads.length === 0)
        writeLine(
          `${org}: this does not show whether the whole history was rewritten; that needs a checkpoint that was kept`,
        );
    }
  });
  if (problems > 0)
    throw new Error(`problems found: ${problems}; keep the database as it is, and compare it with a backup`);
  writeLine('nothing is altered, missing or extra');
}

function requireVerifierKey(text: string): VerifierKey {
  const key = parseVerifierKey(text);
  if (key !== undefined) return key;
  throw new OptionError(`--verifier-key ${text} must be a line of the output of verifier-key: <name>+<id>+<base64>`);
}

/** @throws Error if the file cannot be read, is not a checkpoint, or is not signed by any of the keys */
async function readCheckpoint(path: string, keys: readonly VerifierKey[]): Promise<Checkpoint> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw toFileError(error, path);
  });
  const checkpoint = parseCheckpoint(text);
  if (checkpoint === undefined)
    throw new Error(`${path} is not a checkpoint; it must be a file that /log/ORG/checkpoint returned`);
  if (keys.length > 0 && !keys.some((key) => isSignedBy(checkpoint, key)))
    throw new Error(`${path} is not signed by any of the keys in --verifier-key`);
  return checkpoint;
}
