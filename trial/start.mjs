// The entry point on a fresh machine: plain JavaScript for any Node.js, with built-in modules only. Installs what is
// missing, and runs the trial with the project's own Node.js.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const windows = process.platform === 'win32';
const wanted = 24;
const major = Number(process.versions.node.split('.')[0]);
// The package of this project's Node.js for this machine, if there is one.
const runtime = `node-${windows ? 'win' : process.platform}-${process.arch}`;
const node =
  major >= wanted ? process.execPath : join(root, 'node_modules', runtime, 'bin', windows ? 'node.exe' : 'node');

if (major < 20) {
  stop(`The trial needs Node.js 20 or later, but this is ${process.version}. Install a newer one: https://nodejs.org`);
}
if (spawnSync('git', ['--version'], { stdio: 'ignore' }).status !== 0) {
  stop('The trial needs git, but `git --version` failed. Install git: https://git-scm.com/downloads');
}
if (!isInstalled() || !canRun(node)) {
  console.log('Installing the packages of the lockfile, once. This takes less than a minute.');
  const install = ['ci', '--no-audit', '--no-fund'];
  // On Windows npm is a script, which only a shell can start.
  const { status } = spawnSync('npm', install, { cwd: root, stdio: 'inherit', shell: windows });
  if (status !== 0) stop('`npm ci` failed. Its messages are above.');
}
if (!canRun(node)) {
  stop(
    `The trial needs Node.js ${wanted}, but this is ${process.version}, and the package ${runtime} does not run here: ` +
      'npm leaves it out with `--omit=optional`, and not every platform has one. ' +
      `Install Node.js ${wanted}: https://nodejs.org`,
  );
}
const { status } = spawnSync(node, [join(root, 'trial', 'trial.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(status ?? 1);

/** Whether this Node.js is installed, and made for this machine. */
function canRun(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Whether every package of the lockfile is installed in its version. npm keeps a copy of the installed lockfile. */
function isInstalled() {
  const copy = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(copy)) return false;
  const installed = JSON.parse(readFileSync(copy, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional === true || installed[path]?.version === version,
  );
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
