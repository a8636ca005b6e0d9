import { maximumDocumentBytes } from '../contract/limits.ts';
import { decodeText } from '../runtime/decode-text.ts';
import { findDuplicateKey } from '../runtime/duplicate-key.ts';
import { parseExactJson } from '../runtime/exact-json.ts';
import { describeError, UserError } from '../runtime/failure.ts';
import { wrongKindError } from './files/document-kind.ts';
import { forInput } from './files/file-problems.ts';
import { formatBytes } from './files/format-bytes.ts';
import type { MatchedFile } from './files/resolve-files.ts';
import { maximumReportBytes } from './files/json-report.ts';
import { readSmallFile } from './files/text-file.ts';

const input = 'data-path';

/**
 * Reads the data of a custom attestation: any JSON. JSON.stringify writes its numbers exactly as they are in the file.
 *
 * @throws UserError if the file cannot be read, is not JSON, or has more than the service takes
 */
export async function readCustomData(file: MatchedFile): Promise<unknown> {
  const purpose = 'the data of an attestation';
  const remedy = `Leave out what the type does not judge, and attach the whole file with \`files\`.`;
  const limit = { purpose, maximumBytes: maximumReportBytes, input, tooLargeRemedy: remedy };
  const bytes = await forInput(input, () => readSmallFile(file, limit));
  const text = decodeText(bytes);
  const data = parse(file.name, bytes, text);
  const duplicateKey = findDuplicateKey(text ?? '');
  if (duplicateKey !== undefined) {
    const what = `${file.name} contains the key ${JSON.stringify(duplicateKey)} twice in one object`;
    throw new UserError({ input, what, remedy: 'Use every key of an object only once.' });
  }
  const size = Buffer.byteLength(JSON.stringify(data));
  if (size > maximumDocumentBytes) {
    const what = `${file.name} has ${formatBytes(size)} of JSON, and the service takes ${formatBytes(maximumDocumentBytes)} with everything else`;
    throw new UserError({ input, what, remedy });
  }
  return data;
}

function parse(name: string, bytes: Uint8Array, text: string | undefined): unknown {
  try {
    if (text === undefined) throw new Error('it is not UTF-8');
    JSON.parse(text);
    return parseExactJson(text);
  } catch (thrown) {
    const isJson = /^\s*[[{]/u.test(text ?? '');
    const known = isJson ? undefined : wrongKindError(name, bytes, { input, wanted: 'JSON' });
    const what = `${name} is not JSON: ${describeError(thrown)}`;
    throw known ?? new UserError({ input, what, remedy: `Name a file in JSON in \`${input}\`.` }, { cause: thrown });
  }
}
