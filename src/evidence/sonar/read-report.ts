import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { maximumDocumentBytes } from '../../contract/limits.ts';
import { decodeText } from '../../runtime/decode-text.ts';
import { describeError, UserError } from '../../runtime/failure.ts';
import { parseReportTask, type ReportTask } from './report-task.ts';

// `node:fs/promises` would be loaded only for this.
const open = promisify(fs.open);
const read = promisify(fs.read);

/** A report. Its kind depends on the content, not on the file name. */
export type SonarReport =
  /** A scanner's report: the results have to be requested from the server. */
  | { readonly kind: 'task'; readonly task: ReportTask }
  /** JSON that contains the results, not yet validated. */
  | { readonly kind: 'results'; readonly document: unknown };

/**
 * Reads a report. JSON starts with a brace or a bracket, and no scanner's report does.
 *
 * @throws UserError if the file cannot be read, is too large (its content has to fit the JSON part of an attestation),
 * is not UTF-8, or has neither format
 */
export async function readReport(path: string): Promise<SonarReport> {
  const text = decode(await readBounded(path), path);
  return /^\s*[{[]/u.test(text)
    ? { kind: 'results', document: parseJson(text, path) }
    : { kind: 'task', task: parseReportTask(text, path) };
}

async function readBounded(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      return await readToEnd(file, path);
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw createReportError(
      `cannot read the Sonar report ${path}: ${describeError(error)}`,
      "Make the file readable for the job's user.",
      error,
    );
  }
}

async function readToEnd(file: number, path: string): Promise<Buffer> {
  // One byte more than allowed shows that a file is too large, even if it grows meanwhile.
  const buffer = Buffer.allocUnsafe(maximumDocumentBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await read(file, buffer, length, buffer.length - length, null);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length > maximumDocumentBytes) throw createTooLargeError(path);
  }
}

function createTooLargeError(path: string): UserError {
  return createReportError(
    `the Sonar report ${path} is larger than ${maximumDocumentBytes} bytes`,
    'Check that `sonar-report-path` names the report of the scan; send anything else as an attachment with `files`.',
  );
}

function decode(bytes: Buffer, path: string): string {
  const text = decodeText(bytes);
  if (text !== undefined) return text;
  throw createReportError(
    `the Sonar report ${path} is not UTF-8 text`,
    'Write the file as UTF-8; older versions of PowerShell write UTF-16 without `-Encoding utf8`.',
  );
}

function parseJson(text: string, path: string): unknown {
  try {
    const document: unknown = JSON.parse(text);
    // The document is sent later, and it can be nested too deeply to be written again.
    JSON.stringify(document);
    return document;
  } catch (error) {
    const words = error instanceof RangeError ? 'it is nested too deeply' : describeError(error);
    throw createReportError(
      `the Sonar report ${path} is not valid JSON: ${words}`,
      'Write the body of the Sonar webhook to the file unchanged, or use the report-task.txt of the scan.',
      error,
    );
  }
}

function createReportError(what: string, remedy: string, cause?: unknown): UserError {
  return new UserError({ input: 'sonar-report-path', what, remedy }, { cause });
}
