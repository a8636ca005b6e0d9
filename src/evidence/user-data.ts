import * as fs from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseExactJson } from '../runtime/exact-json.ts';
import { describeError, UserError } from '../runtime/failure.ts';
import { findDuplicateKey } from '../runtime/duplicate-key.ts';
import { isMapping, type Mapping } from '../runtime/untrusted-data.ts';
import { requireOwnFile } from './files/attachment-rules.ts';

// `node:fs/promises` would be loaded only for this.
const readFile = promisify(fs.readFile);

/**
 * Reads the user's own data: a JSON object, or the path of a file that contains one, relative to the workspace.
 * JSON.stringify writes the numbers of the result exactly as they were written in the input.
 *
 * @throws UserError if the value is neither
 */
export async function readUserData(value: string, workspace: string): Promise<Mapping> {
  // A path that begins like JSON can be written with `./` in front.
  const inline = /^\s*[[{"]/u.test(value);
  const text = inline ? value : await readUserFile(resolve(workspace, value), workspace);
  const where = inline ? '`user-data`' : `\`user-data\`: ${JSON.stringify(value)}`;
  const remedy = 'Set it to a JSON object such as {"ticket": "ABC-1"}, or to the path of a file that contains one.';
  const data = parseUserJson(text, { input: 'user-data', name: where, remedy });
  if (isMapping(data) && !JSON.isRawJSON(data)) return data;
  throw new UserError({
    input: 'user-data',
    what: `${where} is JSON, but not an object`,
    remedy: 'Put the value under a key: {"value": …}.',
  });
}

/**
 * Parses JSON so that JSON.stringify writes its numbers exactly as they are in the text.
 *
 * @param source the input with the text, the text's name for error messages, and what to do if it is not JSON
 * @throws UserError if it is not JSON, or has a key twice in one object
 */
export function parseUserJson(
  text: string,
  { input, name, remedy }: { readonly input: string; readonly name: string; readonly remedy: string },
): unknown {
  let parsed: unknown;
  try {
    parsed = parseExactJson(text);
  } catch (thrown) {
    throw new UserError({ input, what: `${name} is not JSON: ${describeError(thrown)}`, remedy, cause: thrown });
  }
  const duplicateKey = findDuplicateKey(text);
  if (duplicateKey === undefined) return parsed;
  throw new UserError({
    input,
    what: `${name} contains the key ${JSON.stringify(duplicateKey)} twice in one object`,
    remedy: 'Use every key of an object only once.',
  });
}

async function readUserFile(path: string, workspace: string): Promise<string> {
  requireOwnFile('user-data', path, workspace);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UserError({
      input: 'user-data',
      what: `\`user-data\`: the file ${path} cannot be read: ${describeError(error)}`,
      remedy: 'Set it to a JSON object, or to the path of a JSON file relative to the workspace.',
      cause: error,
    });
  }
}
