import { maximumDocumentBytes } from '../contract/limits.ts';
import { UserError } from '../runtime/failure.ts';
import { wrongKindError } from './files/document-kind.ts';
import { forInput } from './files/file-problems.ts';
import { formatBytes } from './files/format-bytes.ts';
import { maximumJsonFileBytes, requireSmallJson } from './files/json-limits.ts';
import type { MatchedFile } from './files/resolve-files.ts';
import { decodeFile, readSmallFile } from './files/text-file.ts';
import { parseUserJson } from './user-data.ts';

const input = 'data-path';

/**
 * Reads the data of a custom attestation: any JSON. JSON.stringify writes its numbers exactly as they are in the file.
 *
 * @throws UserError if the file cannot be read, is not JSON, or has more than the service takes
 */
export async function readCustomData(file: MatchedFile): Promise<unknown> {
  const purpose = 'the data of an attestation';
  const tooLargeRemedy = 'Leave out what the type does not judge, and attach the whole file with `files`.';
  const limit = { purpose, maximumBytes: maximumJsonFileBytes, input, tooLargeRemedy };
  const bytes = await forInput(input, () => readSmallFile(file, limit));
  const text = decodeFile(bytes);
  const createError = (what: string, remedy: string): UserError =>
    new UserError({ input, what: `${file.name}${what}`, remedy });
  const remedy = `Name a file in JSON in \`${input}\`.`;
  const otherKind = /^\s*[[{]/u.test(text ?? '')
    ? undefined
    : wrongKindError(file.name, bytes, { input, wanted: 'JSON' });
  if (otherKind !== undefined) throw otherKind;
  if (text === undefined) throw createError(' is not JSON: it is not UTF-8', remedy);
  requireSmallJson(text, maximumJsonFileBytes, (what) => createError(what, tooLargeRemedy));
  const data = parseUserJson(text, { input, name: file.name, remedy });
  const size = Buffer.byteLength(JSON.stringify(data));
  if (size > maximumDocumentBytes) {
    const what = ` has ${formatBytes(size)} of JSON, and the service takes ${formatBytes(maximumDocumentBytes)} with everything else`;
    throw createError(what, tooLargeRemedy);
  }
  return data;
}
