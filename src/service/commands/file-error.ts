import { errorCode } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';

const denied = 'may not be used by this user; run the command as the user that runs the service, or name another path';

/** What the error codes of the operating system mean (errno(3)), as predicates with the remedy. */
const predicates: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist, because a part of its path is not a folder; check the path',
  EISDIR: 'is a folder and must be a file; check the path',
  EACCES: denied,
  EPERM: denied,
  EROFS: 'is on a read-only disk; name another path',
};

/**
 * Converts an error of the operating system about a file that a command needs to one that says what to do. Returns
 * other errors unchanged.
 *
 * @param path the file, if the error does not name it
 */
export function toFileError(error: unknown, path = textAt(error, 'path')): unknown {
  const predicate = predicates[errorCode(error) ?? ''];
  return predicate === undefined || path === undefined ? error : new Error(`${path} ${predicate}`, { cause: error });
}
