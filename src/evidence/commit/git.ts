import { join } from 'node:path';
import { describeError } from '../../runtime/failure.ts';
import type { Environment } from '../../runtime/world.ts';

/** How a git process ended. */
export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** In English and without credentials. */
  readonly stderr: string;
}

/** Runs git with these arguments in a folder; undefined where there is no git to run. */
export type GitRunner = (commandLine: readonly string[], directory: string) => Promise<GitResult | undefined>;

/**
 * The git of the machine, run without a shell and without a word in the log.
 *
 * A workspace is often owned by another user (a container job, a self-hosted runner), which git refuses. It is told on the
 * command line to trust this one folder. Git before 2.38 takes that from files only, and the folder's name may differ from
 * the one git sees (a symlink, a Windows path); then git is pointed at the repository itself, which skips its search and
 * with it the question of ownership.
 *
 * @param environment the variables that git gets, with those on top that make its answers the same everywhere.
 * @param whileItRuns is called as soon as git was started, for work that this process can do meanwhile.
 */
export function createGitRunner(environment: Environment, whileItRuns: () => void = () => undefined): GitRunner {
  const variables = gitVariables(environment);
  return async (commandLine, directory) => {
    const trusting = ['-c', `safe.directory=${directory}`, ...commandLine];
    const result = await execute(trusting, directory, variables, whileItRuns);
    if (result === undefined || !refusesOwner(result)) return result;
    return execute(commandLine, directory, { ...variables, GIT_DIR: join(directory, '.git') }, () => undefined);
  };
}

async function execute(
  commandLine: readonly string[],
  directory: string,
  env: Record<string, string>,
  whileItRuns: () => void,
): Promise<GitResult | undefined> {
  const { getExecOutput } = await import('@actions/exec');
  try {
    // @actions/exec tells this when it is about to start the process; a turn of the event loop later it runs.
    const listeners = { debug: once(() => setImmediate(whileItRuns)) };
    const options = { env, silent: true, ignoreReturnCode: true, listeners };
    // git changes into the folder itself: @actions/exec would first look whether it is there.
    const result = await getExecOutput('git', ['-C', directory, ...commandLine], options);
    return { ...result, stderr: withoutCredentials(result.stderr) };
  } catch (thrown) {
    const reason = describeError(thrown);
    // The words of @actions/exec for a program that is not on the PATH; it has no code for it.
    if (reason.includes('Unable to locate executable')) return undefined;
    return { exitCode: -1, stdout: '', stderr: withoutCredentials(reason) };
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

function gitVariables(environment: Environment): Record<string, string> {
  const variables: Record<string, string> = {
    // Its messages are read, so they have to be in English.
    LC_ALL: 'C',
    // Nothing may wait for a password, take a lock beside a parallel step, or fetch what a partial clone left out.
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    // A replaced commit is not the one that its SHA names.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) variables[name] ??= value;
  }
  return variables;
}

/** Git's words since 2.38, and before. */
function refusesOwner(result: GitResult): boolean {
  return result.exitCode !== 0 && /dubious ownership|unsafe repository/.test(result.stderr);
}

/** A text without the user and the password of the URLs in it: git's errors may quote a remote's address. */
export function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^\s/]*@/g, '://');
}
