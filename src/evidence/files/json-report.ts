import { describeError, UserError } from '../../runtime/failure.ts';
import { wrongKindError } from './document-kind.ts';
import { forInput } from './file-problems.ts';
import { maximumJsonFileBytes, requireSmallJson } from './json-limits.ts';
import type { MatchedFile } from './resolve-files.ts';
import { decodeFile, readSmallFile } from './text-file.ts';

/** What the report of another tool is. */
export interface ReportFormat {
  /** The input that names the file. */
  readonly input: string;
  /** The name of the format: `SARIF`. */
  readonly wanted: string;
  readonly tooLargeRemedy: string;
}

export interface JsonReport {
  readonly document: unknown;
  readonly bytes: Uint8Array;
  /**
   * Creates the error for a report of another form.
   *
   * @param what continues the name of the file: ` has no …`
   */
  readonly createError: (what: string, remedy?: string) => UserError;
  /** Creates the error for JSON in another format. */
  readonly createKindError: () => UserError;
}

/**
 * Reads a report that another tool has written in JSON.
 *
 * @throws UserError if the file cannot be read, is too large, or is not JSON: what it is instead, or where it is broken
 */
export async function readJsonReport(file: MatchedFile, format: ReportFormat): Promise<JsonReport> {
  const { input, wanted, tooLargeRemedy } = format;
  const limit = { purpose: `a report in ${wanted}`, maximumBytes: maximumJsonFileBytes, input, tooLargeRemedy };
  const bytes = await forInput(input, () => readSmallFile(file, limit));
  const createError = (
    what: string,
    remedy = `Name a file in ${wanted} in \`${input}\`.`,
    cause?: unknown,
  ): UserError => new UserError({ input, what: `${file.name}${what}`, remedy, cause });
  const text = decodeFile(bytes);
  if (text?.trim() === '') throw createError(' is empty', 'Check that the tool ran and wrote its report to this file.');
  if (!/^\s*\{/u.test(text ?? bytes.toString('latin1', 0, 1)))
    throw wrongKindError(file.name, bytes, format) ?? createError(' is not JSON');
  if (text === undefined) throw createError(' is not valid UTF-8', 'Let the tool write the file in UTF-8.');
  requireSmallJson(text, maximumJsonFileBytes, (what) => createError(what, tooLargeRemedy));
  try {
    const document: unknown = JSON.parse(text);
    return {
      document,
      bytes,
      createError: (what, remedy) => createError(what, remedy),
      createKindError: () => wrongKindError(file.name, bytes, format) ?? createError(` is not ${wanted}`),
    };
  } catch (thrown) {
    const remedy = 'Write the file again: the tool that writes it may have been stopped before the end.';
    throw createError(` is not valid JSON: ${describeError(thrown)}`, remedy, thrown);
  }
}
