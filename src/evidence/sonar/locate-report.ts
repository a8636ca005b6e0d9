import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describeError, errorCode, UserError } from '../../runtime/failure.ts';

// `node:fs/promises` would be loaded for this alone.
const stat = promisify(fs.stat);

/** The name that every scanner gives its report unless told otherwise. */
const reportName = 'report-task.txt';

/** Where the scanners leave it: the command line, npm and the scan action; Maven; Gradle; .NET. */
const defaultFolders = ['.scannerwork', 'target/sonar', 'build/sonar', '.sonarqube/out/.sonar'] as const;

/**
 * Finds the report of a Sonar scan.
 *
 * @param reportPath a file, taken as it is; or a folder, in which it is looked for; or undefined for the usual places
 * below the workspace
 * @param workspace the folder that relative paths start from
 * @returns the path of a file
 * @throws UserError if there is none, and where there are several, because the wrong one would attest another
 * project's gate
 */
export async function locateReport(reportPath: string | undefined, workspace: string): Promise<string> {
  if (reportPath === undefined) {
    return findSingleReport(
      defaultFolders.map((folder) => join(workspace, folder, reportName)),
      `the workspace ${workspace}`,
    );
  }
  const named = resolve(workspace, reportPath);
  switch (await inspectPath(named)) {
    case 'file':
      return named;
    case 'folder':
      return findSingleReport(
        candidatePaths().map((place) => join(named, place)),
        `the folder ${named}`,
      );
    default:
      throw new UserError({
        input: 'sonar-report-path',
        what: `there is no Sonar report at ${named}`,
        remedy:
          'Let this step run after the Sonar scan, in the same job, and set `sonar-report-path` to the report-task.txt that the scan wrote (its log names the file) or to the folder that holds it.',
      });
  }
}

/**
 * The places of the report within a folder that a user names: the folder may be the scanned project, or any folder on
 * the way from there to the report (`target`, `.sonarqube`).
 */
function candidatePaths(): readonly string[] {
  const places = defaultFolders.flatMap((folder) => {
    const path = [...folder.split('/'), reportName];
    return path.map((_, start) => path.slice(start).join('/'));
  });
  return [...new Set(places)];
}

async function findSingleReport(candidates: readonly string[], where: string): Promise<string> {
  const kinds = await Promise.all(candidates.map(inspectPath));
  const found = candidates.filter((_, index) => kinds[index] === 'file');
  const [first, ...others] = found;
  if (first === undefined) {
    throw new UserError({
      input: 'sonar-report-path',
      what: `${where} holds no Sonar report; looked for ${candidates.join(', ')}`,
      remedy:
        'Let this step run after the Sonar scan, in the same job; where the scan runs in a subfolder or writes its report elsewhere, set `sonar-report-path` to that folder or file.',
    });
  }
  if (others.length > 0) {
    throw new UserError({
      input: 'sonar-report-path',
      what: `${where} holds several Sonar reports: ${found.join(', ')}`,
      remedy: 'Set `sonar-report-path` to the one that is to be attested.',
    });
  }
  return first;
}

async function inspectPath(path: string): Promise<'file' | 'folder' | 'nothing'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'nothing';
  } catch (error) {
    if (isNotFoundError(error)) return 'nothing';
    throw new UserError(
      {
        input: 'sonar-report-path',
        what: `cannot look for a Sonar report at ${path}: ${describeError(error)}`,
        remedy: 'Make the path readable for the user that this job runs as.',
      },
      { cause: error },
    );
  }
}

function isNotFoundError(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
