import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRepository } from '../tools/make-repository.ts';
import { artifactStory } from './artifact-story.ts';
import { environmentStory } from './environment-story.ts';
import { writeEvidenceFiles } from './evidence-files.ts';
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
console.log(`The service runs at ${service.baseUrl}, with its data in ${join(directory, 'data')}.`);
console.log(`A stand-in for GitHub's API runs at ${github.url}.`);
try {
  const files = await writeEvidenceFiles(workspace, sha);
  const step = openTrialJob({ baseUrl: service.baseUrl, key, org, githubUrl: github.url, workspace, sha });
  const surprises = [...(await artifactStory(step, files)), ...(await environmentStory(step, files))];
  if (surprises.length > 0) {
    console.error(`\nThe trial failed:\n${surprises.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log('\nThe trial passed: every step ended as expected.');
  }
} finally {
  await github.close();
  await service.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
