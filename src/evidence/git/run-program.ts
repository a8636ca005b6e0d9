import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { errorCode, toAbortError } from '../../runtime/failure.ts';

export interface ProgramRun {
  /** The absolute path of the program: neither PATH nor a shell is used. */
  readonly file: string;
  readonly commandLine: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The time limit in milliseconds, after which the program is killed. */
  readonly timeoutMilliseconds: number;
  /** The maximum size of each output, in bytes. A program that writes more is killed. */
  readonly maximumOutputBytes: number;
  /** Kills the program early. */
  readonly signal?: AbortSignal | undefined;
  /** Called as soon as the program has started, so that this process can do other work meanwhile. */
  readonly whileItRuns?: () => void;
}

export interface ProgramEnd {
  /** `cut`: it wrote too much and was killed. `late`: it took too long and was killed. */
  readonly how: 'by itself' | 'cut' | 'late';
  /** -1 if the program was killed. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long the output may stay open after the program has ended, in milliseconds: a child may have inherited it. */
const outputGraceMilliseconds = 2000;

/**
 * Runs a program without input, and kills it if it takes too long. Its child processes are not killed, so it must be
 * run with settings that start none.
 *
 * @throws the system's error if the program cannot be started; the signal's reason if it is aborted
 */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { clock, signal } = run;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let isLate = false;
    const options = { env: run.env, maxBuffer: run.maximumOutputBytes, killSignal: 'SIGKILL' } as const;
    const child = execFile(run.file, run.commandLine, options, (error, stdout, stderr) => {
      cancelDeadline();
      cancelGrace();
      signal?.removeEventListener('abort', kill);
      const code = errorCode(error);
      if (signal?.aborted === true) reject(toAbortError(signal.reason));
      else if (isLate) resolve({ how: 'late', exitCode: -1, stdout, stderr });
      else if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') resolve({ how: 'cut', exitCode: -1, stdout, stderr });
      else if (error !== null && code !== undefined) reject(new Error(error.message, { cause: error }));
      else resolve({ how: 'by itself', exitCode: child.exitCode ?? -1, stdout, stderr });
    });
    const closeOutput = (): void => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const kill = (): void => {
      child.kill('SIGKILL');
      closeOutput();
    };
    let cancelGrace = (): void => undefined;
    child.once('exit', () => {
      cancelGrace = clock.after(outputGraceMilliseconds, closeOutput);
    });
    const cancelDeadline = clock.after(run.timeoutMilliseconds, () => {
      isLate = true;
      kill();
    });
    signal?.addEventListener('abort', kill, { once: true });
    child.stdin?.destroy();
    run.whileItRuns?.();
  });
}

/**
 * Finds the absolute path of a program on the PATH; undefined if there is none. Ignores relative entries of the PATH,
 * and the current directory, which Windows would search: a change under review could put programs into the workspace.
 */
export function findProgram(name: string, path: string | undefined): string | undefined {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name;
  return (path ?? '')
    .split(delimiter)
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, fileName))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
