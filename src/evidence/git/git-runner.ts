import { devNull } from 'node:os';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { describeError } from '../../runtime/failure.ts';
import { findProgram, runProgram } from './run-program.ts';

/** How a git process ended. */
export interface GitResult {
  readonly exitCode: number;
  /** At most `maximumOutputBytes`; if more was cut off, the exit code is 0 nevertheless. */
  readonly stdout: string;
  /** In English and without credentials. */
  readonly stderr: string;
  /** After how many seconds git was ended, if it took too long. */
  readonly timedOutAfter?: number;
}

/** Runs git with the given arguments in a folder; resolves to undefined if git is not installed. */
export type GitRunner = (commandLine: readonly string[], directory: string) => Promise<GitResult | undefined>;

export interface GitSettings {
  /** The system clock by default. */
  readonly clock?: Clock;
  /** Ends git. */
  readonly signal?: AbortSignal | undefined;
  /** Called as soon as git has started, so that this process can do other work meanwhile. */
  readonly whileItRuns?: (() => void) | undefined;
}

/** The time limit of a git process, in milliseconds. Reading a commit takes a few; on a cold network disk, seconds. */
const timeoutMilliseconds = 30_000;

/** The maximum size of git's output that is read, in bytes: far more than is recorded of a commit. */
export const maximumOutputBytes = 4 * 1024 * 1024;

/**
 * Creates a runner for the installed git. It uses no shell, logs nothing, and is meant for commands that need only the
 * repository. After git has timed out once, it is not run again.
 *
 * A workspace is often owned by another user (a container job, a self-hosted runner), and git then refuses to read it.
 * `GIT_DIR` names the repository, so that git skips its search and the check of the owner.
 *
 * @param environment the variables for git; others are added that make its output the same everywhere
 */
export function createGitRunner(environment: EnvironmentVariables, settings: GitSettings = {}): GitRunner {
  const variables = gitVariables(environment);
  let timedOut: GitResult | undefined;
  return async (commandLine, folder) => {
    if (timedOut !== undefined) return timedOut;
    // `runProgram` starts git in another folder.
    const directory = resolve(folder);
    const atRepository = { GIT_DIR: join(directory, '.git'), ...variables };
    const result = await execute(commandLine, directory, atRepository, settings);
    if (result?.timedOutAfter !== undefined) timedOut = result;
    return result;
  };
}

/**
 * The repository's settings are part of the workspace, so none of them may start a program: no pager, no hook, no file
 * system monitor. Settings for the network have no effect, because `gitVariables` allows no protocol.
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
      // git changes into the folder itself, so it reports in its own words if the folder does not exist.
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

/** On Windows the variable is called `Path`, and case does not matter. */
function findPathVariable(env: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}

function gitVariables(environment: EnvironmentVariables): Record<string, string> {
  const variables: Record<string, string> = {
    // Its messages are parsed, so they must be in English.
    LC_ALL: 'C',
    // Nothing may wait for a password, take a lock beside a parallel step, or fetch what a partial clone left out.
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Older versions ignore the variable above, and would run programs that the repository's settings name.
    GIT_ALLOW_PROTOCOL: '',
    // A replacement is not the commit that the SHA identifies.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) variables[name] ??= value;
  }
  return variables;
}

/** Removes user names and passwords from the URLs in a text: git's errors may quote the URL of a remote. */
export function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^\s/]*@/g, '://');
}
