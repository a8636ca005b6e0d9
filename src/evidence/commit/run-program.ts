import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';

/** A program to run, and its limits. */
export interface ProgramRun {
  /** The absolute path of the program; nothing is looked up and no shell is involved. */
  readonly file: string;
  readonly commandLine: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** How long it may take, in milliseconds. Then it is ended, with all that it has started. */
  readonly timeoutMilliseconds: number;
  /** How much of each output is read, in bytes. A program that writes more to its standard output is ended. */
  readonly maximumOutputBytes: number;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  /** Is called once the program runs, for work that this process can do meanwhile. */
  readonly whileItRuns?: () => void;
}

/** How a program ended. */
export interface ProgramEnd {
  /** `cut`: it wrote too much and was ended. `late`: it took too long and was ended. */
  readonly how: 'by itself' | 'cut' | 'late';
  /** -1 if it did not end by itself, or by a signal. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long the output may stay open after the program has ended: what it has started may have inherited it. */
const outputGrace = 2000;

/**
 * Runs a program without input, and ends it with everything that it has started if it takes too long.
 *
 * @throws the system's error if it cannot be started; the signal's reason if that is aborted
 */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { clock, signal } = run;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal));
      return;
    }
    const child = spawn(run.file, run.commandLine, {
      env: { ...run.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      // A process group of its own, so that all of it can be ended; and no terminal, so that nothing can ask a question.
      detached: !onWindows,
    });
    const stdout = new Output(run.maximumOutputBytes);
    const stderr = new Output(run.maximumOutputBytes);

    let isSettled = false;

    const settle = (isOver: boolean, report: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      callOffDeadline();
      callOffGrace();
      signal?.removeEventListener('abort', onAbort);
      if (!isOver) endTree(child);
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
      report();
    };
    const end = (how: ProgramEnd['how'], exitCode: number, isOver = false): void => {
      settle(isOver, () => {
        resolve({ how, exitCode, stdout: stdout.text(), stderr: stderr.text() });
      });
    };
    const fail = (error: Error): void => {
      settle(false, () => {
        reject(error);
      });
    };
    const onAbort = (): void => {
      fail(reasonOf(signal));
    };

    let callOffGrace = (): void => undefined;
    const callOffDeadline = clock.after(run.timeoutMilliseconds, () => {
      end('late', -1);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      if (!stdout.add(chunk)) end('cut', -1);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr.add(chunk);
    });
    child.once('error', fail);
    child.once('exit', (code) => {
      if (isSettled) return;
      callOffGrace = clock.after(outputGrace, () => {
        end('by itself', code ?? -1);
      });
    });
    child.once('close', (code) => {
      end('by itself', code ?? -1, true);
    });
    child.once('spawn', () => run.whileItRuns?.());
  });
}

const onWindows = process.platform === 'win32';

/** Ends a process and all that it has started. */
function endTree({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined) return;
  if (onWindows) {
    if (exitCode === null && signalCode === null) taskkill(pid);
    return;
  }
  try {
    // A negative number means the group, which lives as long as one of its processes does.
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** Windows has no process groups; its own tool follows the tree. */
function taskkill(pid: number): void {
  const file = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  spawn(file, ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
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
 * The absolute path of a program on the PATH; undefined if it is not there. Relative entries of the PATH do not count, nor
 * does the current directory, as it would on Windows: programs in a workspace are what a change under review put there.
 */
export function findProgram(name: string, path: string | undefined): string | undefined {
  const fileName = onWindows ? `${name}.exe` : name;
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

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
