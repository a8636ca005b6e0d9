import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A Go program for tests. It is no dependency of the project: `npm ci` does not build it. */
export interface LockedGoProgram {
  readonly name: string;
  readonly package: string;
  /** The folder with `go.mod` and `go.sum`, which lock the versions and hashes of all modules. */
  readonly locked: string;
  /** Where it is, once it is built; in a folder of its own. */
  readonly program: string;
  /** Why the tests cannot run without Go, and what to do. */
  readonly noGo: string;
}

/**
 * Compiles a program from its Go modules, unless that is done. Without optimizations and with a large heap, because that
 * takes a third less time.
 *
 * @throws Error if Go is missing or fails
 */
export function buildGoProgram(wanted: LockedGoProgram): void {
  if (isGoProgramBuilt(wanted)) return;
  const { name, locked, program, noGo } = wanted;
  const folder = dirname(program);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  mkdirSync(folder, { recursive: true });
  const { status, error } = spawnSync(
    'go',
    [
      ...['build', '-C', locked, '-o', program, '-buildvcs=false', '-ldflags=-s -w', '-gcflags=all=-N -l'],
      wanted.package,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, CGO_ENABLED: '0', GOGC: 'off' } },
  );
  if (error !== undefined) throw new Error(noGo);
  if (status !== 0)
    throw new Error(`${name} could not be built with Go. Is its module proxy reachable? See the lines above.`);
  copyFileSync(join(locked, 'go.sum'), join(folder, 'go.sum'));
}

/** Whether the locked version is built. */
export function isGoProgramBuilt({ locked, program }: LockedGoProgram): boolean {
  const copy = join(dirname(program), 'go.sum');
  return existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(join(locked, 'go.sum'), 'utf8');
}
