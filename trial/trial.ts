import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { makeRepository } from '../tools/make-repository.ts';
import { artifactStory } from './artifact-story.ts';
import { environmentStory } from './environment-story.ts';
import { writeEvidenceFiles } from './evidence-files.ts';
import { openSignedInPages } from './signed-in-pages.ts';
import { startTrialGitHub } from './trial-github.ts';
import { openTrialJob } from './trial-job.ts';
import { startTrialService } from './trial-service.ts';

/*
 * The main job as a user would see it on GitHub: the built action runs as on a runner, in a git repository of its
 * own, against the real service with a database file. Gates on an artifact and on the environment that runs it pass
 * and fail.
 */

const root = join(import.meta.dirname, '..');
const org = 'trial';

const usage = `Usage: npm run trial [-- OPTIONS]

Starts the service on this machine, runs the steps of a workflow against it, and shows how each ends. In a terminal, its
pages stay open afterwards until you press a key.

  --open   open the pages in the browser
  --keep   keep the data of the service and the workspace of the steps
  --help   show this text`;

const { values: options } = parseArgs({
  options: { open: { type: 'boolean' }, keep: { type: 'boolean' }, help: { type: 'boolean' } },
});

if (options.help === true) console.log(usage);
else await runTrial();

async function runTrial(): Promise<void> {
  // Git ignores `build`.
  await mkdir(join(root, 'build'), { recursive: true });
  const directory = await mkdtemp(join(root, 'build', 'trial-'));
  // A repository of its own, because the project may come from an archive without one.
  const workspace = join(directory, 'workspace');
  const sha = await makeRepository(workspace);
  // A key has a public id and a secret; the service stores only the hash of the secret.
  const key = `trial_${randomBytes(32).toString('hex')}`;
  const service = await startTrialService(join(directory, 'data'), org, key);
  const github = await startTrialGitHub(sha);
  const logFile = join(root, 'build', 'trial.log');
  await writeFile(logFile, '');
  try {
    console.log(`The service runs on this machine. Each line is a step of a workflow: ✓ it passed, ✗ it failed.`);
    const files = await writeEvidenceFiles(workspace, sha);
    const job = { baseUrl: service.baseUrl, key, org, githubUrl: github.url, workspace, sha, logFile };
    const step = openTrialJob(job);
    printHeading('A commit, from the build to the gate');
    const surprises = [...(await artifactStory(step, files))];
    printHeading('What runs in production');
    surprises.push(...(await environmentStory(step, files)));
    if (surprises.length > 0) {
      console.error(`\nThe trial failed:\n${surprises.join('\n')}`);
      process.exitCode = 1;
    } else {
      console.log(
        '\nThe trial passed: every step ended as expected. A gate stayed closed until all evidence was there and',
      );
      console.log('good, and closed again when a quality gate failed and when production ran an unknown image.');
    }
    console.log(`The whole log and the job summary of each step: ${relative(process.cwd(), logFile)}`);
    await showPages(new URL(service.baseUrl).origin, key);
  } finally {
    await github.close();
    await service.stop();
    if (options.keep === true) console.log(`Kept: ${relative(process.cwd(), directory)}`);
    else await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

function printHeading(title: string): void {
  console.log(`\n${styleText('bold', title)}`);
}

/** Serves the pages in a terminal until a key is pressed. */
async function showPages(service: string, key: string): Promise<void> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || process.env['CI'] !== undefined) return;
  const pages = await openSignedInPages(service, key);
  const address = `${pages.url}/${org}`;
  console.log(`\nThe pages of the service, signed in: ${styleText('cyan', address)}\nPress any key to end.`);
  if (options.open === true) openInBrowser(address);
  stdin.setRawMode(true).resume();
  await once(stdin, 'data');
  stdin.setRawMode(false).pause();
  await pages.close();
}

function openInBrowser(address: string): void {
  const [command, ...parameters] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', address]
        : ['xdg-open', address];
  spawn(command, parameters, { stdio: 'ignore', detached: true })
    .on('error', () => {
      console.error(`${command} is not available. Open the address yourself.`);
    })
    .unref();
}
