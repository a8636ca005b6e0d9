import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** A program to start directly, without a shell. */
export interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs before the time is measured. May return environment variables for this run only. */
  readonly prepare?: () => Readonly<Record<string, string>> | undefined;
}

/** How long a program took from start to exit, in milliseconds, and what it printed. */
export interface ProcessResult {
  readonly wall: number;
  readonly output: string;
}

/**
 * Runs a program from start to exit, and reads its output as a runner does.
 *
 * @throws Error if it fails, because a failure must not count as fast
 */
export function runProcess({ program, parameters, environment, prepare }: Command): ProcessResult {
  const own = prepare?.();
  const started = performance.now();
  const ended = spawnSync(program, parameters, {
    ...(environment === undefined ? {} : { env: { ...environment, ...own } }),
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const wall = performance.now() - started;
  // If the program could not be started, there is no output.
  if (ended.error !== undefined) throw ended.error;
  const output = ended.stdout.toString('utf8');
  if (ended.status !== 0) {
    const errors = ended.stderr.toString('utf8');
    throw new Error(`${[program, ...parameters].join(' ')} ended with ${String(ended.status)}:\n${output}\n${errors}`);
  }
  return { wall, output };
}

/** Runs two programs; the second reads the output of the first. Returns the time until both have exited. */
export async function runPipeline(first: Command, second: Command): Promise<number> {
  const started = performance.now();
  const source = spawn(first.program, first.parameters, { stdio: ['ignore', 'pipe', 'ignore'] });
  const sink = spawn(second.program, second.parameters, { stdio: [source.stdout, 'ignore', 'ignore'] });
  await Promise.all([succeeded(source, first), succeeded(sink, second)]);
  return performance.now() - started;
}

async function succeeded(child: ChildProcess, { program }: Command): Promise<void> {
  await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`${program} ended with ${String(child.exitCode)}`);
}
