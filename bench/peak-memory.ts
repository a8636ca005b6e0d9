import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runWhole, type Command } from './whole-process.ts';

/** Kept out of the runs that time is taken of. */
const preload = join(import.meta.dirname, 'programs', 'peak-memory.cjs');

/**
 * The most memory that the program ever had, in bytes; programs that it starts do not count.
 *
 * @param told where the program is to write it
 */
export function peakMemory(command: Command, told: string): number {
  runWhole({
    ...command,
    parameters: ['--require', preload, ...command.parameters],
    environment: { ...command.environment, BENCH_PEAK_MEMORY: told },
  });
  return Number(readFileSync(told, 'utf8'));
}
