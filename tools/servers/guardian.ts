import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Runs the program of a server for the process that started this one, and outlives that process: when it ends for any
// reason, this one stops the program and removes its folder. Ctrl-C does not reach this process, which has a session of
// its own. Started by guarded-folder.ts; the only argument is the folder.

/** A program to run. The working directory is the guarded folder; all output goes to `log` in it. */
export interface GuardedProgram {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

/** What the guardian reports about the program. */
export type GuardianReport =
  | { readonly event: 'started'; readonly pid: number }
  | { readonly event: 'failed'; readonly reason: string }
  | { readonly event: 'ended' };

/** How long a program may take to end after SIGQUIT, in milliseconds. */
const patience = 5000;

const [folder = ''] = process.argv.slice(2);
let child: ChildProcess | undefined;

process.on('message', (message) => {
  // From guarded-folder.ts, which sends nothing else.
  run(message as GuardedProgram);
});
process.once('disconnect', () => void end());

function run({ program, words, environment, uid, gid }: GuardedProgram): void {
  const log = openSync(join(folder, 'log'), 'a');
  const started = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', log, log],
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  closeSync(log);
  child = started;
  started.once('spawn', () => {
    report({ event: 'started', pid: started.pid ?? 0 });
  });
  started.once('error', (error) => {
    report({ event: 'failed', reason: error.message });
  });
  started.once('exit', () => {
    report({ event: 'ended' });
  });
}

function report(message: GuardianReport): void {
  // This fails if the other process has ended; then nobody needs the report.
  process.send?.(message, undefined, undefined, () => undefined);
}

async function end(): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    // The immediate shutdown of PostgreSQL, which ends its children, too.
    child.kill('SIGQUIT');
    // A process that is stopped by SIGSTOP gets no other signal.
    child.kill('SIGCONT');
    const timer = setTimeout(() => child?.kill('SIGKILL'), patience);
    await ended;
    clearTimeout(timer);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
