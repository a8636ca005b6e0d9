import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { commandOf, copiesOf, finalStage, parseDockerfile, variablesOf } from './dockerfile/dockerfile.ts';
import { freePort } from './servers/ports.ts';

// `npm run test:fresh`: fails unless a copy of this project, installed as for production (`npm ci --omit=dev`), starts
// the service and answers `/ready`; and unless the commands of the Dockerfile work in a folder with the files of the
// image. What is installed here is not used.

const root = join(import.meta.dirname, '..');
const windows = process.platform === 'win32';
/** What a clone or an archive of the sources does not have. */
const notCopied = new Set(['.git', 'node_modules', 'build', 'coverage', 'service-data']);
const directory = mkdtempSync(join(tmpdir(), 'fresh-install-'));
const copy = join(directory, 'copy');
/** The working directory of the image. */
const image = join(directory, 'image');
/** The last stage of the Dockerfile, which makes the image. */
const stage = finalStage(parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8')));
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
  fillImage();
  await checkImage();
  console.log('The commands of the Dockerfile start the service, find it ready, and stop it.');
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
    throw new Error('`npm ci --omit=dev` did not install Node.js; has package.json a package for this platform?');
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

/** Moves what the last stage of the Dockerfile copies, except for the optional packages, which it does not install. */
function fillImage(): void {
  mkdirSync(image);
  for (const { from, sources, target } of copiesOf(stage)) {
    for (const source of sources) {
      // A stage installs packages in /app, which is here the copy.
      const place = from === undefined ? source : relative('/app', source);
      renameSync(join(copy, place), join(image, target === './' ? place : target));
    }
  }
  const packages = join(image, 'node_modules');
  for (const name of readdirSync(packages).filter((each) => /^node-(?:linux|darwin|win)-/u.test(each)))
    rmSync(join(packages, name), { recursive: true });
}

/** Runs the commands of the image with its variables, except for paths and ports of this machine. */
async function checkImage(): Promise<void> {
  const files = listFiles();
  const variables = {
    ...environment,
    ...Object.fromEntries(variablesOf(stage)),
    COMPLIANCE_SERVICE_HOST: '127.0.0.1',
    COMPLIANCE_SERVICE_PORT: String(await freePort()),
    COMPLIANCE_SERVICE_DATA: join(directory, 'image-data'),
  };
  const child = spawn(process.execPath, commandOf(stage, 'ENTRYPOINT').slice(1), {
    cwd: image,
    env: variables,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await listeningAddress(child);
    const check = spawnSync(process.execPath, commandOf(stage, 'HEALTHCHECK').slice(1), {
      cwd: image,
      env: variables,
      stdio: 'inherit',
    });
    if (check.status !== 0) throw new Error(`the HEALTHCHECK of the Dockerfile exits with ${String(check.status)}`);
  } finally {
    child.stdout.resume();
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  // Windows has no signals: the process is ended.
  if (child.exitCode !== 0 && !windows)
    throw new Error(`the service exits with ${String(child.exitCode)} after SIGTERM`);
  if (listFiles() !== files) throw new Error('the service writes to the folder of its sources, which is read-only');
}

function listFiles(): string {
  return readdirSync(image, { recursive: true }).join('\n');
}

async function listeningAddress({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: stdout })) {
    const address = /listening on (\S+)/u.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the service ended before it accepted requests');
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
