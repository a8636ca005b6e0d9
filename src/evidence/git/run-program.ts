import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { valueAt } from '../../runtime/untrusted-data.ts';

export interface ProgramRun {
  /** The absolute path of the program: neither PATH nor a shell is used. */
  readonly file: string;
  readonly commandLine: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The time limit in milliseconds, after which the program is killed. */
  readonly timeoutMilliseconds: number;
  /** The maximum size of each output, in bytes. A program that writes more to its standard output is killed. */
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
 * Runs a program without input, in the folder of its file, and kills it if it takes too long. Its child processes are
 * not killed, so it must be run with settings that start none.
 *
 * @throws the system's error if the program cannot be started; the signal's reason if it is aborted
 */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { exec } = await import('@actions/exec');
  const { clock, signal } = run;
  signal?.throwIfAborted();
  const stdout = new Output(run.maximumOutputBytes);
  const stderr = new Output(run.maximumOutputBytes);
  const started = watchForProcess(run.file);
  return new Promise((resolve, reject) => {
    let cancelGrace = (): void => undefined;
    let isSettled = false;
    const settle = (report: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      cancelDeadline();
      cancelGrace();
      signal?.removeEventListener('abort', onAbort);
      started.end();
      report();
    };
    const end = (how: ProgramEnd['how'], exitCode: number): void => {
      settle(() => {
        resolve({ how, exitCode, stdout: stdout.text(), stderr: stderr.text() });
      });
    };
    const fail = (error: unknown): void => {
      settle(() => {
        reject(error instanceof Error ? error : new Error('the program failed', { cause: error }));
      });
    };
    const onAbort = (): void => {
      fail(signal?.reason);
    };
    const cancelDeadline = clock.after(run.timeoutMilliseconds, () => {
      end('late', -1);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    const listeners = {
      stdout: (chunk: Buffer) => {
        if (!stdout.add(chunk)) end('cut', -1);
      },
      stderr: (chunk: Buffer) => {
        stderr.add(chunk);
      },
    };
    started.onSpawn((child) => {
      child.stdin?.destroy();
      run.whileItRuns?.();
      child.once('exit', (code) => {
        if (isSettled) return;
        cancelGrace = clock.after(outputGraceMilliseconds, () => {
          end('by itself', code ?? -1);
        });
      });
    });
    // The working folder of this process may have been removed: @actions/exec would throw where nothing catches it.
    const cwd = dirname(run.file);
    const options = { cwd, env: { ...run.env }, silent: true, ignoreReturnCode: true, listeners };
    // Null, in spite of its type, if another process has killed the program.
    exec(quote(run.file), [...run.commandLine], options).then((code: number | null) => {
      end('by itself', code ?? -1);
    }, fail);
  });
}

/** Quotes a path for the command line of @actions/exec, which splits at blanks. */
function quote(file: string): string {
  return `"${file.replaceAll('"', '\\"')}"`;
}

/** Finds the process of a program: @actions/exec has no time limit, and does not return the process that it starts. */
function watchForProcess(file: string) {
  let child: ChildProcess | undefined;
  let use: (child: ChildProcess) => void = () => undefined;
  const onProcess = (message: unknown): void => {
    const created = valueAt(message, 'process');
    if (!(created instanceof ChildProcess)) return;
    created.once('spawn', () => {
      if (created.spawnfile !== file || child !== undefined) return;
      child = created;
      use(created);
    });
  };
  subscribe('child_process', onProcess);
  return {
    /** Sets a callback for when the process has started. */
    onSpawn(callback: (child: ChildProcess) => void): void {
      use = callback;
    },
    /** Kills the process if it still runs, and closes its outputs. */
    end(): void {
      unsubscribe('child_process', onProcess);
      child?.kill('SIGKILL');
      child?.stdout?.destroy();
      child?.stderr?.destroy();
    },
  };
}

/** The first bytes of an output. */
class Output {
  readonly #chunks: Buffer[] = [];
  readonly #maximum: number;
  #length = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** @returns false if it did not fit */
  add(chunk: Buffer): boolean {
    const fitting = chunk.subarray(0, this.#maximum - this.#length);
    this.#length += fitting.length;
    if (fitting.length > 0) this.#chunks.push(fitting);
    return fitting.length === chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
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
