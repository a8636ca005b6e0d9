import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, noBrowser } from './find-browser.ts';
import { arePackagesInstalled, lockedFiles, lockedFolder, packagesFolder } from './packages.ts';

// Installs what `npm run test:pages` and `npm run screenshots` need besides a browser, from the registry of this
// machine's npm. npm compares the packages with the SHA-512 in the lockfile.

if (findBrowser() === undefined) console.log(noBrowser);
else if (!arePackagesInstalled()) install();

function install(): void {
  rmSync(packagesFolder, { recursive: true, force: true, maxRetries: 3 });
  mkdirSync(packagesFolder, { recursive: true });
  for (const name of lockedFiles) copyFileSync(join(lockedFolder, name), join(packagesFolder, name));
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: packagesFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
    // On Windows npm is a script, which only a shell can start.
    shell: process.platform === 'win32',
  });
  if (status === 0 && arePackagesInstalled()) return;
  rmSync(packagesFolder, { recursive: true, force: true, maxRetries: 3 });
  throw new Error(
    'Playwright and axe could not be installed with npm. Is its registry reachable? See the lines above.',
  );
}
