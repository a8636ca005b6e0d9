import { MistakeError } from '../../runtime/failure.ts';

/** The fewest digits of an abbreviated commit that are taken for the commit: git's own default. */
const fewestDigits = 7;

/**
 * Whether a revision names a commit: the whole SHA in either case, or an abbreviation of at least seven digits, as
 * `sonar.scm.revision` is often set by hand.
 */
export function namesCommit(revision: string, sha: string): boolean {
  const given = revision.trim().toLowerCase();
  const whole = sha.toLowerCase();
  if (given === whole) return true;
  return given.length >= fewestDigits && /^[0-9a-f]+$/u.test(given) && whole.startsWith(given);
}

/**
 * Refuses an analysis of another commit than the one being attested: a green gate for code that nobody scanned.
 *
 * @throws MistakeError
 */
export function refuseOtherCommit(revision: string, expected: string, projectKey: string, reportPath: string): void {
  if (namesCommit(revision, expected)) return;
  throw new MistakeError({
    input: 'sonar-report-path',
    what: `the Sonar analysis of project ${projectKey} (${reportPath}) is of commit ${revision}, but the commit being attested is ${expected}`,
    remedy:
      'Attest in the job that scanned the commit, with the report of that scan; where another commit than that of the event was scanned on purpose, name it in `commit-sha`.',
  });
}
