import { open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A new key and the organization it is for. */
export interface NewKey {
  readonly org: string;
  /** The whole key, with its secret. */
  readonly key: string;
}

/** How the operator can be reached. */
export interface Operator {
  /** Whether what is told goes to a terminal. It may be kept in a log if not. */
  readonly isTerminal: boolean;
  readonly tell: (line: string) => void;
}

const fileOf = (org: string): string => `api-key-of-${org}.txt`;

/**
 * Gives a new key to the operator: on a terminal, or else in a file of the data folder that only this user can read, because
 * a log must not hold it.
 *
 * @throws Error if the file cannot be written.
 */
export async function handOverKey({ org, key }: NewKey, dataFolder: string, operator: Operator): Promise<void> {
  if (operator.isTerminal) {
    operator.tell(`API key of ${org}, shown only now: ${key}`);
    return;
  }
  const path = resolve(dataFolder, fileOf(org));
  await writePrivateFile(path, `${key}\n`);
  operator.tell(`the API key of ${org} is in ${path}; store it where it is used, and delete the file`);
}

/** The mode of a new file does not apply to one that exists, so that one is removed first. */
async function writePrivateFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The files with keys that the operator has not deleted yet. */
export async function undeletedKeyFiles(dataFolder: string): Promise<readonly string[]> {
  const names = await readdir(dataFolder);
  return names.filter((name) => /^api-key-of-.+\.txt$/.test(name)).map((name) => resolve(join(dataFolder, name)));
}
