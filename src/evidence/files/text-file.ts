import { decodeText } from '../../runtime/decode-text.ts';
import { UserError } from '../../runtime/failure.ts';
import { formatBytes } from './format-bytes.ts';
import { readUnchanged } from './read-unchanged.ts';
import type { MatchedFile } from './resolve-files.ts';

export interface TextFileRules {
  /** What it contains, for error messages: `the policy`. */
  readonly purpose: string;
  /** The maximum size in bytes. */
  readonly maximumBytes: number;
  /** Whether UTF-16 is accepted, too (`decodeFile`). */
  readonly utf16?: boolean;
  /** The input that names the file; `files` if absent. */
  readonly input?: string;
  /** What to do about a file that is too large; by default, to name another. */
  readonly tooLargeRemedy?: string;
}

/**
 * Reads a text file in UTF-8 and drops a byte order mark.
 *
 * @throws UserError if the file is too large, cannot be read, changes meanwhile, or has another encoding
 */
export async function readTextFile(
  file: Pick<MatchedFile, 'path' | 'name' | 'size'>,
  rules: TextFileRules,
): Promise<string> {
  const { purpose, utf16 = false, input = 'files' } = rules;
  const bytes = await readSmallFile(file, rules);
  const text = utf16 ? decodeFile(bytes) : decodeText(bytes);
  if (text === undefined) {
    throw new UserError({
      input,
      what: `${file.name} is not text in UTF-8`,
      remedy: `Save it in UTF-8, or name the file that holds ${purpose}.`,
    });
  }
  return text;
}

/**
 * Reads the bytes of a file.
 *
 * @throws UserError if the file is too large, cannot be read, or changes meanwhile
 */
export async function readSmallFile(
  file: Pick<MatchedFile, 'path' | 'name' | 'size'>,
  { purpose, maximumBytes, input = 'files', tooLargeRemedy }: TextFileRules,
): Promise<Buffer> {
  if (file.size > maximumBytes) {
    throw new UserError({
      input,
      what: `${file.name} is too large for ${purpose}: it has ${formatBytes(file.size)}, and the limit is ${formatBytes(maximumBytes)}`,
      remedy: tooLargeRemedy ?? `Name the file that holds ${purpose}.`,
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of readUnchanged(file.path, file.size)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, as Windows PowerShell's `>` writes it. Drops the byte order mark.
 * Undefined if the bytes are neither.
 */
export function decodeFile(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeText(bytes, 'utf-16le');
  return decodeText(bytes, first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8');
}
