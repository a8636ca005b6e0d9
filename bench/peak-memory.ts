import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess, type Command } from './run-process.ts';

/** Kept out of the runs that time is taken of. */
const preload = join(import.meta.dirname, 'programs', 'peak-memory.cjs');

/**
 * The most memory that the program ever had, in bytes; programs that it starts do not count.
 *
 * @param file where the program is to write it
 */
export function peakMemory(command: Command, file: string): number {
  runProcess({
    ...command,
    parameters: ['--require', preload, ...command.parameters],
    environment: { ...command.environment, BENCH_PEAK_MEMORY: file },
  });
  return Number(readFileSync(file, 'utf8'));
}
