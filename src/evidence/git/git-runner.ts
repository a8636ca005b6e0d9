import { devNull } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../runtime/clock.ts';
import { describeError } from '../../runtime/failure.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { findProgram, runProgram } from './run-program.ts';

/** How a git process ended. */
export interface GitResult {
  readonly exitCode: number;
  /** At most `maximumOutputBytes`; more is cut off, and the exit code is 0 all the same. */
  readonly stdout: string;
  /** In English and without credentials. */
  readonly stderr: string;
  /** After how many seconds git was ended, if it took too long. */
  readonly timedOutAfter?: number;
}

/** Runs git with these arguments in a folder; undefined if there is no git to run. */
export type GitRunner = (commandLine: readonly string[], directory: string) => Promise<GitResult | undefined>;

/** What git runs with. */
export interface GitSettings {
  /** The machine's own clock by default. */
  readonly clock?: Clock;
  /** Ends git. */
  readonly signal?: AbortSignal | undefined;
  /** Is called as soon as git was started, for work that this process can do meanwhile. */
  readonly whileItRuns?: (() => void) | undefined;
}

/** How long one git process may take, in milliseconds. Reading a commit takes it a few, of a cold network disk seconds. */
const timeoutMilliseconds = 30_000;

/** How much of git's output is read, in bytes: far more than is recorded of a commit. */
export const maximumOutputBytes = 4 * 1024 * 1024;

/**
 * The git of the machine, run without a shell and without a word in the log, for questions that it answers from the
 * repository alone. After it took too long once, it is not run again.
 *
 * A workspace is often owned by another user (a container job, a self-hosted runner), which git refuses. It is told on the
 * command line to trust this one folder. Git before 2.38 takes that from files only, and the folder's name may differ from
 * the one git sees (a symlink, a Windows path); then git is pointed at the repository itself, which skips its search and
 * with it the question of ownership.
 *
 * @param environment the variables that git gets, with those on top that make its answers the same everywhere.
 */
export function createGitRunner(environment: EnvironmentVariables, settings: GitSettings = {}): GitRunner {
  const variables = gitVariables(environment);
  let timedOut: GitResult | undefined;
  return async (commandLine, directory) => {
    if (timedOut !== undefined) return timedOut;
    const trustingCommandLine = ['-c', `safe.directory=${directory}`, ...commandLine];
    let result = await execute(trustingCommandLine, directory, variables, settings);
    if (result !== undefined && refusesOwner(result)) {
      const atRepository = { ...variables, GIT_DIR: join(directory, '.git') };
      result = await execute(commandLine, directory, atRepository, { ...settings, whileItRuns: undefined });
    }
    if (result?.timedOutAfter !== undefined) timedOut = result;
    return result;
  };
}

/**
 * The repository's settings come with the workspace, so none of them may name a program to run: no pager, no hook, no file
 * system monitor. Those for the network have none, because `gitVariables` allows no protocol.
 */
const guards = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', `core.hooksPath=${devNull}`];

async function execute(
  commandLine: readonly string[],
  directory: string,
  env: Record<string, string>,
  { clock = systemClock, signal, whileItRuns = () => undefined }: GitSettings,
): Promise<GitResult | undefined> {
  const file = findProgram('git', findPathVariable(env));
  if (file === undefined) return undefined;
  try {
    const end = await runProgram({
      file,
      // git changes into the folder itself, and says so in its own words if it is not there.
      commandLine: ['-C', directory, ...guards, ...commandLine],
      env,
      clock,
      timeoutMilliseconds,
      maximumOutputBytes,
      signal,
      whileItRuns,
    });
    const { stdout } = end;
    const stderr = withoutCredentials(end.stderr);
    if (end.how === 'late') return { exitCode: -1, stdout, stderr, timedOutAfter: timeoutMilliseconds / 1000 };
    return { exitCode: end.how === 'cut' ? 0 : end.exitCode, stdout, stderr };
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    return { exitCode: -1, stdout: '', stderr: withoutCredentials(describeError(thrown)) };
  }
}

/** Windows calls it `Path` and does not care. */
function findPathVariable(env: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}

function gitVariables(environment: EnvironmentVariables): Record<string, string> {
  const variables: Record<string, string> = {
    // Its messages are read, so they have to be in English.
    LC_ALL: 'C',
    // Nothing may wait for a password, take a lock beside a parallel step, or fetch what a partial clone left out.
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Older versions do not know the variable above, and would run the programs that the repository's settings name.
    GIT_ALLOW_PROTOCOL: '',
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
