import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, runProcess } from './run-process.ts';

/** Not used when time is measured. */
const preload = join(import.meta.dirname, 'programs', 'peak-memory.cjs');

/**
 * Runs a program and returns its peak memory in bytes, without that of the programs that it starts.
 *
 * @param file where the program writes the result
 */
export function peakMemory(command: Command, file: string): number {
  runProcess({
    ...command,
    parameters: ['--require', preload, ...command.parameters],
    environment: { ...command.environment, BENCH_PEAK_MEMORY: file },
  });
  return Number(readFileSync(file, 'utf8'));
}
