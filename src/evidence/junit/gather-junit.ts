import { type JunitResult, maximumSuites } from '../../contract/attestations/junit.ts';
import { maximumDocumentBytes } from '../../contract/limits.ts';
import { UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { forInput } from '../files/file-problems.ts';
import { formatBytes } from '../files/format-bytes.ts';
import { readUnchanged } from '../files/read-unchanged.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { readXml } from './read-xml.ts';
import { type FailedTest, maximumFailedTests, splitRemedy, SuiteResults } from './suite-results.ts';

export interface JunitEvidence {
  /** One for each suite that has tests, in the order of the files. */
  readonly results: readonly JunitResult[];
  readonly failed: readonly FailedTest[];
  readonly failedCount: number;
}

/** The part of a request that is reserved for the commit and the user data, in bytes. */
const otherBytes = 256 * 1024;

const maximumListedFiles = 100;

/**
 * Reads JUnit files one after the other, in memory that does not grow with their size.
 *
 * @throws UserError for a file that is not a JUnit report or cannot be read, with its name and the line; and for more
 * results than fit into an attestation
 */
export async function gatherJunit(
  files: readonly MatchedFile[],
  { log, signal }: { readonly log: Log; readonly signal?: AbortSignal | undefined },
): Promise<JunitEvidence> {
  const results: JunitResult[] = [];
  const failed: FailedTest[] = [];
  let failedCount = 0;
  for (const [index, { name, path, size }] of files.entries()) {
    const suites = new SuiteResults(name);
    await forInput('junit-path', () => readXml(name, readUnchanged(path, size), suites, signal));
    for (const contradiction of suites.contradictions)
      log.warning(`${name}: ${contradiction}; the larger number is recorded.`);
    results.push(...suites.results);
    if (results.length > maximumSuites) throw createTooManyError(`more than ${maximumSuites} test suites`);
    failed.push(...suites.failed.slice(0, maximumFailedTests - failed.length));
    failedCount += suites.failedCount;
    if (index < maximumListedFiles)
      log.info(`${name}: suites: ${suites.results.length}, failures and errors: ${suites.failedCount}`);
    else if ((index + 1) % 1000 === 0) log.info(`${index + 1} of ${files.length} files are read`);
  }
  const size = Buffer.byteLength(JSON.stringify(results));
  if (size > maximumDocumentBytes - otherBytes)
    throw createTooManyError(`${results.length} test suites, whose results take ${formatBytes(size)}`);
  return { results, failed, failedCount };
}

function createTooManyError(what: string): UserError {
  return new UserError({
    input: 'junit-path',
    what: `the files have ${what}, more than fit into one attestation`,
    remedy: splitRemedy,
  });
}
