import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Checkpoint, parseCheckpoint, toLogOrigin } from '../../runtime/transparency-log/checkpoint.ts';
import {
  isSignedBy,
  parseVerifierKey,
  renderVerifierKey,
  type VerifierKey,
} from '../../runtime/transparency-log/verifier-key.ts';
import { type KnownHead, verifyLog } from '../log/verify-log-use-cases.ts';
import { withOperatorStorage } from '../platform/database/operator-access.ts';
import type { StorageDependencies } from '../platform/database/storage.ts';
import { OptionError } from './command-line.ts';
import { toFileError } from './file-error.ts';
import type { LogCommand, SigningKeyFile } from './parse-log-command.ts';
import { addSigningKey, endRotation, readSigningKeys, signingKeyPath } from './signing-key-file.ts';

interface Dependencies extends StorageDependencies {
  readonly writeLine: (line: string) => void;
}

/** @throws Error if it fails, or finds anything wrong in a log, or no log; the message says what to do. */
export async function runLogCommand(command: LogCommand, dependencies: Dependencies): Promise<void> {
  const { writeLine } = dependencies;
  switch (command.name) {
    case 'help':
      writeLine(command.usage);
      return;
    case 'verify':
      return verify(command, dependencies);
    case 'verifier-key': {
      const origin = toLogOrigin(command.publicUrl, command.org);
      for (const key of command.keys ?? (await readSigningKeys(signingKeyPath(command.dataFolder)))) {
        writeLine(renderVerifierKey(origin, key));
        writeLine(createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString().trimEnd());
      }
      return;
    }
    case 'rotate-signing-key': {
      const path = toPath(command.file);
      const keys = await (command.end ? endRotation(path) : addSigningKey(path));
      const what = command.end ? 'only the newest key is left' : `${keys.length} keys will sign, a new one first`;
      writeLine(
        `${path}: ${what}; restart the service, and give the output of verifier-key to everyone who verifies the log`,
      );
    }
  }
}

const toPath = (file: SigningKeyFile): string => ('path' in file ? file.path : signingKeyPath(file.dataFolder));

async function verify(
  { dataFolder, database, checkpoints, verifierKeys }: Extract<LogCommand, { name: 'verify' }>,
  dependencies: Dependencies,
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
