// The way in on a fresh machine: plain JavaScript for whatever Node is there (20 or newer), nothing but built-in
// modules. Installs what is missing and hands over to the project's own Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const windows = process.platform === 'win32';
const node = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');

if (!isInstalled()) {
  console.log('Setting up: npm ci');
  // npm is a script on Windows, which only a shell starts.
  const { status } = spawnSync('npm', ['ci'], { cwd: root, stdio: 'inherit', shell: windows });
  if (status !== 0) process.exit(1);
}
const { status } = spawnSync(node, [join(root, 'trial', 'trial.ts')], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);

/** Whether every package of the lockfile is there in its version: npm keeps a copy of what it installed. */
function isInstalled() {
  const copy = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(copy) || !existsSync(node)) return false;
  const installed = JSON.parse(readFileSync(copy, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional === true || installed[path]?.version === version,
  );
}
