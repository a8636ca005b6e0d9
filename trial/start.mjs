// The entry point on a fresh machine: plain JavaScript for any Node.js from 20, with built-in modules only. Installs
// what is missing, and runs the trial with the project's own Node.js.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const windows = process.platform === 'win32';
const node = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');

if (!isInstalled()) {
  console.log('Setting up: npm ci');
  // On Windows npm is a script, which only a shell can start.
  const { status } = spawnSync('npm', ['ci'], { cwd: root, stdio: 'inherit', shell: windows });
  if (status !== 0) process.exit(1);
}
const { status } = spawnSync(node, [join(root, 'trial', 'trial.ts')], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);

/** Whether every package of the lockfile is installed in its version. npm keeps a copy of the installed lockfile. */
function isInstalled() {
  const copy = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(copy) || !existsSync(node)) return false;
  const installed = JSON.parse(readFileSync(copy, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional === true || installed[path]?.version === version,
  );
}
