import { resolve } from 'node:path';
import { maximumDocumentBytes } from '../contract/limits.ts';
import { findDuplicateKey } from '../runtime/duplicate-key.ts';
import { parseExactJson } from '../runtime/exact-json.ts';
import { describeError, UserError } from '../runtime/failure.ts';
import { isMapping, type Mapping } from '../runtime/untrusted-data.ts';
import { requireOwnFile } from './files/attachment-rules.ts';
import { inspectPath } from './files/file-kind.ts';
import { forInput } from './files/file-problems.ts';
import { requireSmallJson } from './files/json-limits.ts';
import { readTextFile } from './files/text-file.ts';

const input = 'user-data';
const tooLargeRemedy = 'Record less, or attach the data with `files`.';

/**
 * Reads the user's own data: a JSON object, or the path of a file that contains one, relative to the workspace.
 * JSON.stringify writes the numbers of the result exactly as they were written in the input.
 *
 * @throws UserError if the value is neither
 */
export async function readUserData(value: string, workspace: string): Promise<Mapping> {
  // A path that begins like JSON can be written with `./` in front.
  const inline = /^\s*[[{"]/u.test(value);
  const text = inline ? value : await readUserFile(value, workspace);
  const where = inline ? '`user-data`' : `\`user-data\`: ${JSON.stringify(value)}`;
  const tooMuch = (what: string): UserError =>
    new UserError({ input, what: `${where}${what}`, remedy: tooLargeRemedy });
  requireSmallJson(text, maximumDocumentBytes, tooMuch);
  const remedy = 'Set it to a JSON object such as {"ticket": "ABC-1"}, or to the path of a file that contains one.';
  const data = parseUserJson(text, { input, name: where, remedy });
  if (isMapping(data) && !JSON.isRawJSON(data)) return data;
  throw new UserError({
    input,
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

async function readUserFile(name: string, workspace: string): Promise<string> {
  const path = resolve(workspace, name);
  requireOwnFile(input, path, workspace);
  const found = inspectPath(path);
  if (found?.kind === 'file') {
    const rules = { purpose: 'your own data', maximumBytes: maximumDocumentBytes, utf16: true, input, tooLargeRemedy };
    return forInput(input, () => readTextFile({ path, name, size: found.size }, rules));
  }
  throw new UserError({
    input,
    what: `\`user-data\`: ${path} ${found === undefined ? 'does not exist' : 'is not a file'}`,
    remedy: 'Set it to a JSON object, or to the path of a JSON file relative to the workspace.',
  });
}
