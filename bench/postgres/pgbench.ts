import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plannerSettings } from '../../src/service/platform/database/postgres/connections.ts';
import { findPostgresProgram } from '../../tools/servers/postgres/binaries.ts';
import { runProcess } from '../run-process.ts';

/** A script of pgbench, and the values of its variables. */
export interface PgbenchScript {
  readonly text: string;
  readonly variables: Readonly<Record<string, string>>;
}

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

/**
 * Runs a script, again and again, with prepared statements and the planner's settings of the service. Returns the
 * transactions per second.
 *
 * @param directory for the file of the script
 */
export function runPgbench(directory: string, url: string, { text, variables }: PgbenchScript): number {
  const path = join(directory, 'pgbench.sql');
  writeFileSync(path, text);
  const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const clients = ['-c', String(pgbenchClients), '-j', '2', '-T', String(seconds)];
  const { output } = runProcess({
    program: requirePgbench(),
    parameters: ['--no-vacuum', '--protocol=prepared', ...clients, '-f', path, ...defined, withSettings(url)],
  });
  const found = /^tps = ([\d.]+)/mu.exec(output)?.[1];
  if (found === undefined) throw new Error(`pgbench printed no transactions per second:\n${output}`);
  return Number(found);
}

function withSettings(url: string): string {
  const found = new URL(url);
  const options = Object.entries(plannerSettings).map(([name, value]) => `-c ${name}=${value}`);
  // libpq reads `+` as it is.
  found.search = `options=${encodeURIComponent(options.join(' '))}`;
  return found.href;
}
