import { maximumDocumentBytes } from '../../contract/limits.ts';
import { describeError, UserError } from '../../runtime/failure.ts';
import { inspectPath } from '../files/file-kind.ts';
import { forInput } from '../files/file-problems.ts';
import { readTextFile } from '../files/text-file.ts';
import { parseReportTask, type ReportTask } from './report-task.ts';

const input = 'sonar-report-path';

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
 * is not text, or has neither format
 */
export async function readReport(path: string): Promise<SonarReport> {
  const file = { path, name: path, size: inspectPath(path)?.size ?? 0 };
  const rules = { purpose: 'the Sonar report', maximumBytes: maximumDocumentBytes, utf16: true, input };
  const text = await forInput(input, () => readTextFile(file, rules));
  return /^\s*[{[]/u.test(text)
    ? { kind: 'results', document: parseJson(text, path) }
    : { kind: 'task', task: parseReportTask(text, path) };
}

function parseJson(text: string, path: string): unknown {
  try {
    const document: unknown = JSON.parse(text);
    // The document is sent later, and it can be nested too deeply to be written again.
    JSON.stringify(document);
    return document;
  } catch (error) {
    const words = error instanceof RangeError ? 'it is nested too deeply' : describeError(error);
    throw new UserError({
      input,
      what: `the Sonar report ${path} is not valid JSON: ${words}`,
      remedy: 'Write the body of the Sonar webhook to the file unchanged, or use the report-task.txt of the scan.',
      cause: error,
    });
  }
}
