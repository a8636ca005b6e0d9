import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { createInterface } from 'node:readline';

// `npm run test:fresh`: fails unless a copy of this project, installed as for production (`npm ci --omit=dev`), starts
// the service and answers `/ready`. What is installed here is not used.

const root = join(import.meta.dirname, '..');
const windows = process.platform === 'win32';
/** What a clone or an archive of the sources does not have. */
const notCopied = new Set(['.git', 'node_modules', 'build', 'coverage', 'service-data']);
const directory = mkdtempSync(join(tmpdir(), 'fresh-install-'));
const copy = join(directory, 'copy');
/** Without the programs that are installed here, which `npm run` puts first on the path. */
const environment = {
  ...process.env,
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== join(root, 'node_modules', '.bin'))
    .join(delimiter),
};

try {
  cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(relative(root, path)) });
  install();
  await checkService();
  console.log('The production installation starts the service, which is ready.');
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

function install(): void {
  const { status } = spawnSync('npm', ['ci', '--omit=dev'], {
    cwd: copy,
    env: environment,
    stdio: 'inherit',
    // On Windows npm is a script, which only a shell can start.
    shell: windows,
  });
  if (status !== 0) throw new Error('`npm ci --omit=dev` failed');
  if (existsSync(join(copy, 'node_modules', 'jest'))) throw new Error('`npm ci --omit=dev` installed jest');
  if (!existsSync(join(copy, 'node_modules', '.bin', windows ? 'node.cmd' : 'node')))
    throw new Error('`npm ci --omit=dev` did not install Node.js; is `node` in the dependencies of package.json?');
}

async function checkService(): Promise<void> {
  // A relative folder, because a shell would take a space in its path for the end of it.
  const options = ['--port', '0', '--data', join('..', 'data'), '--org', 'fresh'];
  const child = spawn('npm', ['run', 'service', '--', ...options], {
    cwd: copy,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: windows,
    // A process group of its own, so that a signal reaches npm and the service.
    detached: !windows,
  });
  try {
    const { origin } = new URL(await listeningAddress(child));
    const response = await fetch(`${origin}/ready`);
    const text = await response.text();
    if (response.status !== 200 || text.trim() !== 'OK') throw new Error(`/ready answers ${response.status}: ${text}`);
  } finally {
    await stop(child);
  }
}

async function listeningAddress({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: stdout })) {
    const address = /listening on (\S+)/u.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('`npm run service` ended before the service accepted requests');
}

/** Stops npm and the service, and waits until both have ended. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  // Emitted when the standard output is closed.
  const ended = once(child, 'close');
  child.stdout?.resume();
  if (windows) spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f']);
  else process.kill(-child.pid, 'SIGTERM');
  await ended;
}
