import * as fs from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseExactJson } from '../runtime/exact-json.ts';
import { describeError, UserError } from '../runtime/failure.ts';
import { findDuplicateKey } from '../runtime/duplicate-key.ts';
import { isMapping, type Mapping } from '../runtime/untrusted-data.ts';

// `node:fs/promises` would be loaded for this alone.
const readFile = promisify(fs.readFile);

/**
 * Reads the user's own data: a JSON object, or the path of a file that holds one, relative to the workspace. JSON.stringify
 * writes its numbers as they are written there.
 *
 * @throws UserError if it is neither
 */
export async function readUserData(value: string, workspace: string): Promise<Mapping> {
  // A path that begins like JSON can be written with ./ in front.
  const inline = /^\s*[[{"]/u.test(value);
  const text = inline ? value : await readUserFile(resolve(workspace, value));
  const where = inline ? '`user-data`' : `\`user-data\`: ${JSON.stringify(value)}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UserError({
      input: 'user-data',
      what: `${where} is not JSON: ${describeError(error)}`,
      remedy: 'Give a JSON object such as {"ticket": "ABC-1"}, or the path of a file that holds one.',
    });
  }
  const duplicateKey = findDuplicateKey(text);
  if (duplicateKey !== undefined) {
    throw new UserError({
      input: 'user-data',
      what: `${where} holds the key ${JSON.stringify(duplicateKey)} twice in one object`,
      remedy: 'Give every key of an object once.',
    });
  }
  const exact = parseExactJson(text);
  // A number alone can be an object in its exact form.
  if (isMapping(parsed) && isMapping(exact)) return exact;
  throw new UserError({
    input: 'user-data',
    what: `${where} holds JSON that is not an object`,
    remedy: 'Put the value under a key: {"value": …}.',
  });
}

async function readUserFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UserError(
      {
        input: 'user-data',
        what: `\`user-data\`: the file ${path} cannot be read: ${describeError(error)}`,
        remedy: 'Give a JSON object, or the path of a JSON file relative to the workspace.',
      },
      { cause: error },
    );
  }
}
