import { findPostgresProgram } from '../../tools/servers/postgres/binaries.ts';
import { runProcess } from '../run-process.ts';

/** How many clients pgbench has, each on its own connection. */
export const pgbenchClients = 16;

/** How long pgbench runs, in seconds. */
const seconds = 2;

/**
 * The path of pgbench.
 *
 * @throws Error if it is not installed
 */
export function requirePgbench(): string {
  const program = findPostgresProgram('pgbench');
  if (program !== undefined) return program;
  throw new Error('pgbench is missing; install it (Debian: postgresql, Red Hat: postgresql-contrib)');
}

/** Fills a database with the tables of pgbench. */
export function preparePgbench(url: string): void {
  runProcess({ program: requirePgbench(), parameters: ['--initialize', '--quiet', url] });
}

/** Runs a script that pgbench brings, again and again, and returns the transactions per second. */
export function runPgbench(url: string, script: 'simple-update' | 'select-only'): number {
  const clients = ['-c', String(pgbenchClients), '-j', '2', '-T', String(seconds)];
  const { output } = runProcess({
    program: requirePgbench(),
    parameters: ['--no-vacuum', '--protocol=prepared', ...clients, '-b', script, url],
  });
  const found = /^tps = ([\d.]+)/mu.exec(output)?.[1];
  if (found === undefined) throw new Error(`pgbench printed no transactions per second:\n${output}`);
  return Number(found);
}
