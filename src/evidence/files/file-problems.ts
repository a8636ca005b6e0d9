import { describeError, type Problem, UserError } from '../../runtime/failure.ts';

/** The problem of a symbolic link whose target does not exist. */
export function brokenLink(path: string): Problem {
  return {
    input: 'files',
    what: `${path} is a symbolic link to something that does not exist`,
    remedy: 'Create what the link points to before this step, remove the link, or name other files.',
  };
}

/** The problem of a path that is neither a file nor a directory: a socket, a pipe, a device. */
export function notAFile(path: string): Problem {
  return {
    input: 'files',
    what: `${path} is neither a file nor a directory`,
    remedy: 'Remove it, or name files only; sockets, pipes and devices cannot be sent.',
  };
}

/** The problem of a file for which the system reports a wrong size, such as files in `/proc`. */
export function sizeUnknown(path: string): Problem {
  return {
    input: 'files',
    what: `${path} does not have the size that the system reports, like many files in /proc and /sys`,
    remedy: `Copy its content to a file before this step, and name the copy: \`cat ${path} > copy.txt\`.`,
  };
}

/**
 * @param base the path before the first wildcard of the pattern
 * @param excess what there is too much of, with a verb: `files match`
 */
export function tooManyFiles(base: string, maximum: number, excess: string): UserError {
  return new UserError({
    input: 'files',
    what: `More than ${maximum.toLocaleString('en-US')} ${excess} below ${base}`,
    remedy:
      'Name a smaller directory or a narrower pattern, or exclude what is not needed with a line such as `!**/node_modules`.',
  });
}

export function unreadable(path: string, thrown: unknown): Problem {
  return {
    input: 'files',
    what: `${path} cannot be read: ${describeError(thrown)}`,
    // What Node.js puts in place of bytes that are not UTF-8. A file is not found by such a name.
    remedy: path.includes('\uFFFD')
      ? 'Rename it, because its name is not valid UTF-8, or exclude it with a line that starts with "!".'
      : 'Make sure that it exists and that the user who runs this step may read it.',
  };
}

export function unreadableError(path: string | Buffer, thrown: unknown): UserError {
  return new UserError({ ...unreadable(path.toString(), thrown), cause: thrown });
}

/** Runs work on a path and turns any error into a UserError that names the path. */
export function wrapReadErrors<Result>(path: string | Buffer, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw unreadableError(path, thrown);
  }
}

/**
 * Runs work, and attributes its problems to the input that was actually given, instead of the input that they name.
 *
 * @param usual the input that the problems name
 * @throws UserError like the work, with the name of the input
 */
export async function forInput<Result>(
  input: string,
  work: () => Result | Promise<Result>,
  usual = 'files',
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const [first, ...rest] = thrown.problems.map((problem) =>
      problem.input === usual ? { ...problem, input } : problem,
    );
    throw first === undefined ? thrown : new UserError([first, ...rest]);
  }
}
