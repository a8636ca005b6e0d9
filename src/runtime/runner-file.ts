import { describeError, errorCode, Failure } from './failure.ts';

/** A file or folder on the runner's disk. */
export interface RunnerFile {
  /** The environment variable that has its path; or the input, as messages write it. */
  readonly variable: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY' | 'RUNNER_TEMP' | '`spool-path`';
  /** What is written there, for error messages: `the outputs`. */
  readonly holds: string;
}

/** A file or folder on the runner's disk cannot be written. */
export class RunnerFileError extends Failure {
  override readonly name = 'RunnerFileError';
  override readonly kind = 'runner';
  /** Whether the disk is full or the user's quota is used up. */
  readonly isFull: boolean;

  constructor({ variable, holds }: RunnerFile, thrown: unknown) {
    const code = errorCode(thrown) ?? '';
    const { why, remedy, isFull = false } = causes(variable).get(code) ?? unknownCause(variable);
    const words = describeError(thrown).replace(/\.$/u, '');
    const explanation = why === undefined ? words : `${why} (${words})`;
    super({ what: `${holds} could not be written to the path in ${variable}: ${explanation}`, remedy, cause: thrown });
    this.isFull = isFull;
  }
}

interface Cause {
  /** Undefined if nothing is known but the system's message. */
  readonly why?: string;
  readonly remedy: string;
  readonly isFull?: boolean;
}

/** By the system's code (errno(3)). */
function causes(variable: string): ReadonlyMap<string, Cause> {
  const noAccess: Cause = {
    why: "the job's user may not write there",
    remedy: `Give the job's user write access to the folder that ${variable} names.`,
  };
  const noFolder: Cause = {
    why: 'a part of the path is a file, not a folder',
    remedy: `Remove that file, or set ${variable} to another path.`,
  };
  return new Map<string, Cause>([
    [
      'ENOSPC',
      {
        why: "the runner's disk is full",
        remedy: `Free space on the disk of ${variable} in a step before this one (\`df -h\` shows it), or use a runner with a larger disk.`,
        isFull: true,
      },
    ],
    [
      'EDQUOT',
      {
        why: 'the disk quota is used up',
        remedy: `Delete files of the job's user on the disk of ${variable}, or raise the quota.`,
        isFull: true,
      },
    ],
    [
      'EROFS',
      {
        why: 'the file system is read-only',
        remedy: `Mount the folder that ${variable} names with write access.`,
      },
    ],
    ['EACCES', noAccess],
    ['EPERM', noAccess],
    ['EEXIST', noFolder],
    ['ENOTDIR', noFolder],
  ]);
}

function unknownCause(variable: string): Cause {
  return {
    remedy: `Check that the runner's disk has room, that the job's user may write there, and that no earlier step changed ${variable}. If you run the action in a container of your own, mount the folder that ${variable} names.`,
  };
}

/**
 * Runs work that writes to a file of the runner.
 *
 * @throws RunnerFileError if the work throws
 */
export function withRunnerFile<Result>(file: RunnerFile, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw new RunnerFileError(file, thrown);
  }
}

/**
 * Runs asynchronous work that writes to a file of the runner.
 *
 * @throws RunnerFileError if the work throws
 */
export async function withRunnerFileAsync<Result>(file: RunnerFile, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw new RunnerFileError(file, thrown);
  }
}
