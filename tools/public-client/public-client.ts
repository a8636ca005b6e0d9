import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The manifest and lockfile of the public client: its version, and the SHA-512 of its package, which npm checks. */
export const lockedFolder = join(import.meta.dirname, 'locked');

/** The manifest and the lockfile. */
export const lockedFiles = ['package.json', 'package-lock.json'] as const;

/** Where the public client is installed. It is no dependency of the project, and `npm ci` does not install it. */
export const clientFolder = join(import.meta.dirname, '..', '..', 'build', 'public-client');

/** The platforms, as `process.platform-process.arch`, that have a package with a locked SHA-512. */
const packages: Readonly<Record<string, string>> = { 'linux-x64': '@kosli/cli-linux-x64' };

/** Why the public client cannot run on this platform; undefined if it can. */
export function unsupportedPlatform(platform = `${process.platform}-${process.arch}`): string | undefined {
  if (platform in packages) return undefined;
  return (
    `The public client is not tested on ${platform}: tools/public-client/locked has packages only for ` +
    `${Object.keys(packages).join(', ')}. Run \`npm run test:client\` there.`
  );
}

/** The program of the public client, for platforms that it supports. */
export const clientProgram = join(
  clientFolder,
  'node_modules',
  packages[`${process.platform}-${process.arch}`] ?? 'unsupported',
  'bin',
  'kosli',
);

/** Whether the locked version of the public client is installed. */
export function isClientInstalled(): boolean {
  return (
    existsSync(clientProgram) && lockedFiles.every((name) => existsSync(join(clientFolder, name)) && isCopied(name))
  );
}

function isCopied(name: string): boolean {
  return readFileSync(join(clientFolder, name), 'utf8') === readFileSync(join(lockedFolder, name), 'utf8');
}
