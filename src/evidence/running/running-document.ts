import { conforms, violations } from '../../contract/check.ts';
import { bareFingerprint } from '../../contract/names.ts';
import type { Static, TSchema } from '../../contract/schema.ts';
import { describeError, type Problem, UserError } from '../../runtime/failure.ts';
import { isMapping, type Mapping, valueAt } from '../../runtime/untrusted-data.ts';
import { requireSmallJson } from '../files/json-limits.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { readTextFile, type TextFileRules } from '../files/text-file.ts';

export interface RunningEvidence<Report> {
  readonly report: Report;
  /** How many instances do not run, by their state. */
  readonly notRunning: ReadonlyMap<string, number>;
  /** What runs without a digest: `namespace/pod/container`. */
  readonly withoutDigest: readonly string[];
}

interface DocumentRules extends Pick<TextFileRules, 'purpose' | 'maximumBytes'> {
  /** Prints such a document. */
  readonly command: string;
}

/**
 * Reads a JSON file about what runs.
 *
 * @throws UserError if the file is not JSON, or too large
 */
export async function readJsonFile(
  file: MatchedFile,
  { purpose, maximumBytes, command }: DocumentRules,
): Promise<unknown> {
  const text = await readTextFile(file, { purpose, maximumBytes, utf16: true });
  const createError = (what: string, remedy: string, cause?: unknown): UserError =>
    new UserError({ input: 'files', what: `${file.name}${what}`, remedy, cause });
  requireSmallJson(text, maximumBytes, (what) => createError(what, `Use the unchanged output of \`${command}\`.`));
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const what = ` is not JSON: ${describeError(thrown)}`;
    throw createError(what, `Print ${purpose} as JSON: \`${command}\`.`, thrown);
  }
}

/** Whether a document is a report in the form of the service. */
export function isReport(document: unknown): document is Mapping {
  return isMapping(document) && Object.hasOwn(document, 'artifacts');
}

/**
 * Checks a report in the form of the service.
 *
 * @param name the file's name, for error messages
 * @throws UserError that names everything that does not conform
 */
export function readReport<Schema extends TSchema>(schema: Schema, given: Mapping, name: string): Static<Schema> {
  const document = normalizeDigests(given);
  if (conforms(schema, document)) return document;
  const [first, ...rest] = violations(schema, document).map(({ field, rule }): Problem => ({
    input: 'files',
    what: `${name}: ${field} ${rule}`,
    remedy: 'Correct the report; the interface of the service describes its format.',
  }));
  if (first === undefined) throw new RangeError('a report that does not conform violates something');
  throw new UserError([first, ...rest]);
}

/** Converts digests that are written `sha256:…` to the interface's form. */
function normalizeDigests(report: Mapping): Mapping {
  const artifacts = valueAt(report, 'artifacts');
  if (!Array.isArray(artifacts)) return report;
  const bare = (artifacts as readonly unknown[]).map((artifact) => {
    const digests = valueAt(artifact, 'digests');
    if (!isMapping(artifact) || !isMapping(digests)) return artifact;
    const entries = Object.entries(digests).map(([image, digest]) => [
      image,
      typeof digest === 'string' ? bareFingerprint(digest) : digest,
    ]);
    return { ...artifact, digests: Object.fromEntries(entries) as Mapping };
  });
  return { ...report, artifacts: bare };
}
