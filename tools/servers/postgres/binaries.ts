import { execFileSync } from 'node:child_process';
import { accessSync, constants, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { embeddedBinaries } from './embedded.ts';

/** The programs that a server needs. Others, such as pgbench, are not in every installation. */
const needed = ['postgres', 'initdb', 'pg_ctl'] as const;

/** The oldest PostgreSQL that the tests run with. */
const oldestVersion = 15;

/** Why no server can be started. */
export const noPostgres =
  `The tests need PostgreSQL ${oldestVersion} or later, and none was found: not in PATH, not in ` +
  '/usr/lib/postgresql/*/bin, not in `pg_config --bindir`, and not where Homebrew and Postgres.app put it. ' +
  "Install PostgreSQL, or set COMPLIANCE_TEST_POSTGRES to the URL of a server's administrator.";

/**
 * Returns the folder of PostgreSQL's programs: the machine's own, else the ones that npm has installed.
 *
 * @throws Error if there are none
 */
export function findPostgres(): string {
  const found = machinePostgres() ?? (isComplete(embeddedBinaries) ? embeddedBinaries : undefined);
  if (found === undefined) throw new Error(noPostgres);
  return found;
}

/** Whether a server can be started on this machine. */
export function canStartPostgres(): boolean {
  return machinePostgres() !== undefined || isComplete(embeddedBinaries);
}

/** The folder of the PostgreSQL programs that are installed on this machine, if there are any. */
export function machinePostgres(folders: readonly string[] = usualFolders()): string | undefined {
  for (const folder of folders) {
    const resolved = resolvedFolder(folder);
    if (resolved !== undefined && isComplete(resolved) && versionIn(resolved) >= oldestVersion) return resolved;
  }
  return undefined;
}

/** The path of another program of PostgreSQL, such as `pgbench`. Undefined if it is not installed. */
export function findPostgresProgram(name: string): string | undefined {
  const path = join(findPostgres(), name);
  return isExecutable(path) ? path : undefined;
}

function usualFolders(): string[] {
  const homebrew = ['/opt/homebrew/opt', '/usr/local/opt', '/home/linuxbrew/.linuxbrew/opt'];
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...newestFirst('/usr/lib/postgresql', /^\d+$/u),
    ...newestFirst('/usr', /^pgsql-\d+$/u),
    configuredFolder(),
    ...homebrew.flatMap((folder) => newestFirst(folder, /^postgresql(?:@\d+)?$/u)),
    '/Applications/Postgres.app/Contents/Versions/latest/bin',
  ].filter((folder) => folder !== '');
}

function newestFirst(folder: string, pattern: RegExp): string[] {
  try {
    const names = readdirSync(folder).filter((name) => pattern.test(name));
    return names.sort((a, b) => numberIn(b) - numberIn(a)).map((name) => join(folder, name, 'bin'));
  } catch {
    return [];
  }
}

function numberIn(name: string): number {
  return Number(/\d+/u.exec(name)?.[0] ?? 0);
}

function configuredFolder(): string {
  try {
    return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** The folder itself: `postgres` in PATH is often a link to it. */
function resolvedFolder(folder: string): string | undefined {
  try {
    return dirname(realpathSync(join(folder, 'postgres')));
  } catch {
    return undefined;
  }
}

function isComplete(folder: string): boolean {
  return needed.every((name) => isExecutable(join(folder, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionIn(folder: string): number {
  try {
    return numberIn(execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }));
  } catch {
    return 0;
  }
}
