import { lstat, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defaultKeyDays } from '../../contract/api-key.ts';
import { errorCode } from '../../runtime/failure.ts';
import { apiKeyFileForm } from '../platform/attachments/files/data-folder.ts';
import { privateFileMode } from '../platform/attachments/files/durable-files.ts';
import { atStart } from '../platform/database/start-error.ts';

export interface NewKey {
  readonly org: string;
  /** The whole key, with its secret. */
  readonly key: string;
}

/** Where a command writes messages for the operator. */
export interface Terminal {
  /** Whether a person reads it; otherwise the output may end up in a log. */
  readonly isInteractive: boolean;
  readonly writeLine: (line: string) => void;
  readonly writeError: (line: string, ...details: readonly unknown[]) => void;
}

const lifetime = `it expires in ${defaultKeyDays} days; create its successor before, with the API or create-key`;

class KeyFileExistsError extends Error {
  constructor(org: string, path: string) {
    const remedy = 'Use that key; or, if it is revoked or has expired, delete the file and try again';
    super(`${path} still has an earlier API key of ${org}, and is not overwritten. ${remedy}`);
  }
}

function toFilePath(dataFolder: string, org: string): string {
  return resolve(dataFolder, `api-key-of-${org}.txt`);
}

/**
 * Call it before a key is created for `outputApiKey`.
 *
 * @throws Error if the key would be written to a file that still has an earlier one.
 */
export async function requireOutput(
  org: string,
  dataFolder: string,
  { isInteractive }: Pick<Terminal, 'isInteractive'>,
): Promise<void> {
  if (isInteractive) return;
  const path = toFilePath(dataFolder, org);
  if (await lstat(path).catch(() => undefined)) throw new KeyFileExistsError(org, path);
}

/**
 * Gives a new key to the operator: prints it on a terminal, and otherwise writes it to a file in the data folder that
 * only this user can read, because a log must not contain it.
 *
 * @throws Error if the file cannot be written, or still has an earlier key.
 */
export async function outputApiKey(
  { org, key }: NewKey,
  dataFolder: string,
  terminal: Pick<Terminal, 'isInteractive' | 'writeLine'>,
): Promise<void> {
  if (terminal.isInteractive) {
    terminal.writeLine(`API key of ${org} (shown only once): ${key}`);
    terminal.writeLine(lifetime);
    return;
  }
  const path = toFilePath(dataFolder, org);
  await writePrivateFile(path, `${key}\n`).catch((error: unknown) => {
    throw errorCode(error) === 'EEXIST' ? new KeyFileExistsError(org, path) : error;
  });
  terminal.writeLine(`the API key of ${org} is in ${path}; store it where it is used, and delete the file`);
  terminal.writeLine(lifetime);
}

/** Never writes to an existing file: it may have a key that nobody has read yet, and it would keep its mode. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await atStart(path, () => writeFile(path, text, { flag: 'wx', mode: privateFileMode, flush: true }));
}

/** Lists the files with keys that the operator has not deleted yet. */
export async function listApiKeyFiles(dataFolder: string): Promise<readonly string[]> {
  const names = await readdir(dataFolder);
  return names.filter((name) => apiKeyFileForm.test(name)).map((name) => resolve(join(dataFolder, name)));
}
