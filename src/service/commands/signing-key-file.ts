import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../runtime/failure.ts';
import { parseSigningKeys } from '../log/note.ts';
import { syncFolder } from '../platform/attachments/files/durable-files.ts';
import { toFileError } from './file-error.ts';
import { writePrivateFile } from './output-api-key.ts';

/** The file of a data folder with the keys that sign its transparency logs, the current one first. */
const signingKeyFile = 'signing-key.pem';

export const signingKeyPath = (dataFolder: string): string => join(dataFolder, signingKeyFile);

/** @throws Error if the file is missing, cannot be read, or has anything but Ed25519 keys */
export async function readSigningKeys(path: string): Promise<readonly KeyObject[]> {
  const keys = await findSigningKeys(path);
  if (keys !== undefined) return keys;
  throw new Error(
    `${path} does not exist; check --data or COMPLIANCE_SERVICE_SIGNING_KEY_FILE; the first start creates the key of a data folder`,
  );
}

/** @throws Error if the file cannot be read or written */
export async function loadSigningKeys(dataFolder: string): Promise<readonly KeyObject[]> {
  const path = signingKeyPath(dataFolder);
  const found = await findSigningKeys(path);
  if (found !== undefined) return found;
  const keys = [createKey()];
  await writeKeys(path, keys);
  return keys;
}

async function findSigningKeys(path: string): Promise<readonly KeyObject[] | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw toFileError(error, path);
  }
  const keys = parseSigningKeys(text);
  if (keys !== undefined) return keys;
  throw new Error(`${path} must have Ed25519 private keys in the form PEM; put a copy of it back`);
}

/** Adds a new current key to the file; the others go on signing. */
export async function addSigningKey(path: string): Promise<readonly KeyObject[]> {
  const keys = [createKey(), ...(await readSigningKeys(path))];
  await writeKeys(path, keys);
  return keys;
}

/** Removes all keys but the current one. */
export async function endRotation(path: string): Promise<readonly KeyObject[]> {
  const keys = (await readSigningKeys(path)).slice(0, 1);
  await writeKeys(path, keys);
  return keys;
}

const createKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

/** Replaces the file atomically, because a lost key cannot be created again. */
async function writeKeys(path: string, keys: readonly KeyObject[]): Promise<void> {
  const pem = keys.map((key) => key.export({ type: 'pkcs8', format: 'pem' })).join('');
  await rm(`${path}.new`, { force: true });
  await writePrivateFile(`${path}.new`, pem);
  await rename(`${path}.new`, path);
  await syncFolder(join(path, '..'));
}
