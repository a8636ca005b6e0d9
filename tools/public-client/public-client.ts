import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedPackages } from '../locked-packages.ts';

/** The public client, in the locked version. It is no dependency of the project, and `npm ci` does not install it. */
export const publicClient: LockedPackages = {
  name: 'The public client',
  locked: join(import.meta.dirname, 'locked'),
  folder: join(import.meta.dirname, '..', '..', 'build', 'public-client'),
};

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
  publicClient.folder,
  'node_modules',
  packages[`${process.platform}-${process.arch}`] ?? 'unsupported',
  'bin',
  'kosli',
);

/** Whether `npm run test:client` has installed the public client. */
export function isClientInstalled(): boolean {
  return existsSync(clientProgram);
}
