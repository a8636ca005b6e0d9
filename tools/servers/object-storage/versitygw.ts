import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const locked = join(import.meta.dirname, 'locked');
const folder = join(import.meta.dirname, '..', '..', '..', 'build', 'versitygw');

/** The S3 server, once it is built. It is not a dependency of the project: `npm ci` does not build it. */
export const versitygwProgram = join(folder, 'versitygw');

/** Why object storage cannot be tested on this machine. */
const noGo =
  'The tests need S3-compatible object storage, and build a server for it with Go, which is not in PATH. ' +
  'Install Go (https://go.dev/dl), or set COMPLIANCE_TEST_S3 to s3://BUCKET/PREFIX?endpoint=URL&region=REGION, and ' +
  'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';

/**
 * Compiles versitygw from its Go modules, in the versions and with the hashes in `locked`, unless that is done. Without
 * optimizations and with a large heap, because that takes a third less time.
 *
 * @throws Error if Go is missing or fails
 */
export function buildVersitygw(): void {
  if (isVersitygwBuilt()) return;
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  mkdirSync(folder, { recursive: true });
  const { status, error } = spawnSync(
    'go',
    [
      ...['build', '-C', locked, '-o', versitygwProgram, '-buildvcs=false', '-ldflags=-s -w', '-gcflags=all=-N -l'],
      'github.com/versity/versitygw/cmd/versitygw',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, CGO_ENABLED: '0', GOGC: 'off' } },
  );
  if (error !== undefined) throw new Error(noGo);
  if (status !== 0)
    throw new Error('versitygw could not be built with Go. Is its module proxy reachable? See the lines above.');
  copyFileSync(join(locked, 'go.sum'), join(folder, 'go.sum'));
}

/** Whether the locked version is built. */
export function isVersitygwBuilt(): boolean {
  const copy = join(folder, 'go.sum');
  return existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(join(locked, 'go.sum'), 'utf8');
}
