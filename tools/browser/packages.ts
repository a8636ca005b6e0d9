import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The manifest and lockfile of the packages: their versions, and the SHA-512 of each, which npm checks. */
export const lockedFolder = join(import.meta.dirname, 'locked');

/** The manifest and the lockfile. */
export const lockedFiles = ['package.json', 'package-lock.json'] as const;

/** Where the packages are installed. They are no dependencies of the project, and `npm ci` does not install them. */
export const packagesFolder = join(import.meta.dirname, '..', '..', 'build', 'browser');

/** Whether the locked versions of the packages are installed. */
export function arePackagesInstalled(): boolean {
  return (
    ['playwright-core', 'axe-core'].every((name) => existsSync(join(packagesFolder, 'node_modules', name))) &&
    lockedFiles.every((name) => isCopied(name))
  );
}

function isCopied(name: string): boolean {
  const copy = join(packagesFolder, name);
  return existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(join(lockedFolder, name), 'utf8');
}
