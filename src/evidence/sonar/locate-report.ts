import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeError, errorCode, UserError } from '../../runtime/failure.ts';

/** The default name of the report of every scanner. */
const reportName = 'report-task.txt';

/** The default folders of the scanners: the command line, npm and the scan action; Maven; Gradle; .NET. */
const defaultFolders = ['.scannerwork', 'target/sonar', 'build/sonar', '.sonarqube/out/.sonar'] as const;

export interface LocatedReport {
  readonly path: string;
  /** Whether the user named the file itself, so that it was not searched for. */
  readonly isNamed: boolean;
}

/**
 * Finds the report of a Sonar scan.
 *
 * @param reportPath a file, used as it is; or a folder to search; or undefined for the default folders in the workspace
 * @param workspace the folder that relative paths start from
 * @throws UserError if there is no report, or several, because the wrong one would attest the gate of another project
 */
export function locateReport(reportPath: string | undefined, workspace: string): LocatedReport {
  if (reportPath === undefined) {
    return findSingleReport(
      defaultFolders.map((folder) => join(workspace, folder, reportName)),
      `the workspace ${workspace}`,
    );
  }
  const named = resolve(workspace, reportPath);
  switch (pathKind(named)) {
    case 'file':
      return { path: named, isNamed: true };
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
          'Run this step after the Sonar scan, in the same job, and set `sonar-report-path` to the report-task.txt that the scan wrote (its log names the file) or to the folder that holds it.',
      });
  }
}

/**
 * The possible paths of the report in a folder that the user names: the folder may be the scanned project, or any
 * folder between it and the report (`target`, `.sonarqube`).
 */
function candidatePaths(): readonly string[] {
  const places = defaultFolders.flatMap((folder) => {
    const path = [...folder.split('/'), reportName];
    return path.map((_, start) => path.slice(start).join('/'));
  });
  return [...new Set(places)];
}

function findSingleReport(candidates: readonly string[], where: string): LocatedReport {
  const found = candidates.filter((path) => pathKind(path) === 'file');
  const [first, ...others] = found;
  if (first === undefined) {
    throw new UserError({
      input: 'sonar-report-path',
      what: `${where} contains no Sonar report; looked for ${candidates.join(', ')}`,
      remedy:
        'Run this step after the Sonar scan, in the same job; if the scan runs in a subfolder or writes its report elsewhere, set `sonar-report-path` to that folder or file.',
    });
  }
  if (others.length > 0) {
    throw new UserError({
      input: 'sonar-report-path',
      what: `${where} contains several Sonar reports: ${found.join(', ')}`,
      remedy: 'Set `sonar-report-path` to the one to attest.',
    });
  }
  return { path: first, isNamed: false };
}

function pathKind(path: string): 'file' | 'folder' | 'nothing' {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'nothing';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return 'nothing';
    throw new UserError({
      input: 'sonar-report-path',
      what: `cannot look for a Sonar report at ${path}: ${describeError(error)}`,
      remedy: "Make the path readable for the job's user.",
      cause: error,
    });
  }
}
