import { UserError } from '../../runtime/failure.ts';
import { fullSha } from '../git/git-ref.ts';
import type { GitResult, GitRunner } from '../git/git-runner.ts';
import { authorLine, type CommitFacts, validTimestamp, wholeMessage } from './commit-facts.ts';
import { externalMiss, type SourceResult, userMiss } from './source-result.ts';

/** SHA, author's name and e-mail, author and committer date in Unix seconds, and the raw message, separated by NULs. */
const logFormat = '%H%x00%an%x00%ae%x00%at%x00%ct%x00%B';

/**
 * Reads the commit from the repository in the workspace with one git process. Needs no history: a shallow clone and a
 * detached head are enough.
 */
export async function readCommitFromGit(
  git: GitRunner,
  workspace: string | undefined,
  sha: string,
): Promise<SourceResult<CommitFacts>> {
  const log = [
    'log',
    '-1',
    '--no-patch',
    '--no-show-signature',
    '--no-color',
    '--encoding=UTF-8',
    `--format=${logFormat}`,
  ];
  // `^{commit}` resolves a tag object to its commit; the dashes keep git from looking for a file of that name.
  const answer = requireSuccess(await runGit(git, workspace, [...log, `${sha}^{commit}`, '--']));
  if ('miss' in answer) return answer;
  const facts = parseLog(answer.found.stdout);
  if (facts !== undefined) return { found: facts };
  return userMiss('git printed the commit in an unknown format', 'Update git on the runner.');
}

/**
 * Resolves the name of a commit (an abbreviated SHA, a tag, a branch) to its SHA.
 *
 * @throws UserError if the name is ambiguous, because any other source could only guess
 */
export async function resolveWithGit(
  git: GitRunner,
  workspace: string | undefined,
  revision: string,
): Promise<SourceResult<string>> {
  const warn = ['-c', 'core.warnAmbiguousRefs=true'];
  const result = await runGit(git, workspace, [...warn, 'rev-parse', '--verify', `${revision}^{commit}`]);
  if ('found' in result && result.found.stderr.includes('is ambiguous')) {
    throw new UserError({
      input: 'commit-sha',
      what: `commit-sha: ${revision} is ambiguous: it matches more than one commit or ref in the workspace's repository.`,
      remedy:
        'Set `commit-sha` to all 40 digits of the commit, or to the full ref (`refs/tags/...`, `refs/heads/...`).',
    });
  }
  const answer = requireSuccess(result);
  if ('miss' in answer) return answer;
  const sha = fullSha(answer.found.stdout.trim());
  if (sha !== undefined) return { found: sha };
  return userMiss(`git resolved ${revision} to something other than a SHA-1`, 'Set `commit-sha` to all 40 digits.');
}

/** The local and remote branches in the workspace's repository that contain the commit; each name once. */
export async function branchesWithCommit(
  git: GitRunner,
  workspace: string | undefined,
  sha: string,
): Promise<readonly string[]> {
  const list = ['for-each-ref', `--contains=${sha}`, '--format=%(refname)', 'refs/heads', 'refs/remotes'];
  const answer = requireSuccess(await runGit(git, workspace, list));
  if ('miss' in answer) return [];
  const names = answer.found.stdout.split('\n').flatMap((ref) => toBranchName(ref.trim()) ?? []);
  return [...new Set(names)];
}

/** Excludes `refs/remotes/pull/12/merge`, where `actions/checkout` puts a merge commit: it is not a branch. */
function toBranchName(ref: string): string | undefined {
  const name = /^refs\/(?:heads|remotes\/(?!pull\/)[^/]+)\/(.+)$/.exec(ref)?.[1];
  return name === 'HEAD' ? undefined : name;
}

/** The result of git, whether it succeeded or failed; a miss if git could not be run or timed out. */
async function runGit(
  git: GitRunner,
  workspace: string | undefined,
  commandLine: readonly string[],
): Promise<SourceResult<GitResult>> {
  if (workspace === undefined) return userMiss('GITHUB_WORKSPACE is not set', checkoutRemedy);
  const found = await git(commandLine, workspace);
  if (found === undefined) return userMiss('git is not installed on the runner', 'Install git on the runner.');
  if (found.timedOutAfter === undefined) return { found };
  return externalMiss(
    `git took longer than ${found.timedOutAfter} s and was killed`,
    'Run `git log -1` in the workspace on the runner to see what it waits for, such as a slow or unreachable disk.',
  );
}

function requireSuccess(answer: SourceResult<GitResult>): SourceResult<GitResult> {
  if ('miss' in answer || answer.found.exitCode === 0) return answer;
  return userMiss(describeFailure(answer.found), checkoutRemedy);
}

const checkoutRemedy =
  'Check out the commit before this step (`actions/checkout`; on a pull request with `ref: ${{ github.event.pull_request.head.sha }}` or `fetch-depth: 2`).';

function describeFailure({ exitCode, stderr }: GitResult): string {
  if (/not a git repository/i.test(stderr)) return 'there is no git repository in GITHUB_WORKSPACE';
  if (/bad (revision|object)|Needed a single revision/.test(stderr)) return 'the repository does not have it';
  const lines = stderr.split('\n').map((line) => line.trim());
  const message = lines.filter((line) => line !== '').join('; ');
  if (message !== '') return `git said: ${message}`;
  return exitCode === -1 ? 'git was killed' : `git ended with exit code ${exitCode}`;
}

function parseLog(output: string): CommitFacts | undefined {
  const [hash, name, email, authored, committed, ...message] = output.split('\0');
  const sha = fullSha(hash);
  if (sha === undefined || name === undefined || email === undefined || message.length === 0) return undefined;
  return {
    sha,
    author: authorLine(name, email),
    message: wholeMessage(message.join('\0')),
    timestamp: parseGitDate(authored),
    committerTimestamp: parseGitDate(committed),
  };
}

/** Parses a date as git prints it: digits of any length as they are in the commit, or nothing if they are not valid. */
function parseGitDate(seconds: string | undefined): number | undefined {
  return seconds !== undefined && /^\d+$/.test(seconds) ? validTimestamp(Number(seconds)) : undefined;
}
