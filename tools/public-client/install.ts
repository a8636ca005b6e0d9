import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clientFolder, isClientInstalled, lockedFiles, lockedFolder, unsupportedPlatform } from './public-client.ts';

// Installs the public client for `npm run test:client`, from the registry of this machine's npm. npm compares the
// package with the SHA-512 in the lockfile.

const reason = unsupportedPlatform();
if (reason !== undefined) {
  console.log(reason);
} else if (!isClientInstalled()) {
  install();
}

function install(): void {
  rmSync(clientFolder, { recursive: true, force: true, maxRetries: 3 });
  mkdirSync(clientFolder, { recursive: true });
  for (const name of lockedFiles) copyFileSync(join(lockedFolder, name), join(clientFolder, name));
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: clientFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0 && isClientInstalled()) return;
  rmSync(clientFolder, { recursive: true, force: true, maxRetries: 3 });
  throw new Error('The public client could not be installed with npm. Is its registry reachable? See the lines above.');
}
