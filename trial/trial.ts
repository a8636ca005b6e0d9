import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRepository } from '../tools/make-repository.ts';
import { runAction, type ActionRun } from '../tools/run-action.ts';
import { podList } from './pods.ts';
import { formatLog, formatSummary } from './format-output.ts';
import { startTrialService } from './trial-service.ts';
import { reportOfNoCommit, webhookReport } from './sonar-report.ts';

/*
 * The main job as a user would see it on GitHub: the built action runs as on a runner, in a git repository of its
 * own, against the real service with a database file. Gates on an artifact and on the environment that runs it pass
 * and fail.
 */

const root = join(import.meta.dirname, '..');
const org = 'trial';
const flow = 'web';

/** A policy as docs/service.md describes it. */
const policyText = `_schema: https://compliance.example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
`;

/** The expected result of a step. */
interface Expected {
  readonly exitCode: number;
  readonly outputs: Readonly<Record<string, string>>;
}

// Git ignores `build`.
await mkdir(join(root, 'build'), { recursive: true });
const directory = await mkdtemp(join(root, 'build', 'trial-'));
// A repository of its own, because the project may come from an archive without one.
const workspace = join(directory, 'workspace');
const sha = await makeRepository(workspace);
// A key has a public id and a secret; the service stores only the hash of the secret.
const key = `trial_${randomBytes(32).toString('hex')}`;
const service = await startTrialService(join(directory, 'data'), org, key);
console.log(`The service runs at ${service.baseUrl}, with its data in ${join(directory, 'data')}.`);
try {
  const surprises = await story();
  if (surprises.length > 0) {
    console.error(`\nThe trial failed:\n${surprises.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log('\nThe trial passed: every step ended as expected.');
  }
} finally {
  await service.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

async function story(): Promise<readonly string[]> {
  const artifact = join(workspace, 'web.tar.gz');
  await writeFile(artifact, randomBytes(4096));
  const coverage = join(workspace, 'coverage');
  await mkdir(coverage);
  await writeFile(join(coverage, 'lcov.info'), 'TN:\nSF:src/main.ts\nend_of_record\n');
  await writeFile(join(coverage, 'notes.txt'), 'Measured by the trial.\n');
  const ofNoCommit = join(workspace, 'sonar-of-no-commit.json');
  await writeFile(ofNoCommit, JSON.stringify(reportOfNoCommit));
  const passing = join(workspace, 'sonar-passing.json');
  await writeFile(passing, JSON.stringify(webhookReport(sha, 'OK', '87.5')));
  const failing = join(workspace, 'sonar-failing.json');
  await writeFile(failing, JSON.stringify(webhookReport(sha, 'ERROR', '61.2')));

  const description = 'The web front end';
  const createFlow = { operation: 'create-flow', flow, description, template: 'artifact\nsonar' };
  const attest = { operation: 'attest-sonar', flow, files: coverage };
  const lookUp = { operation: 'get-artifact', flow, files: artifact };

  return [
    ...(await step('Create the flow', createFlow, done({ state: 'created' }))),
    ...(await step('Create it again: it is updated', createFlow, done({ state: 'updated' }))),
    ...(await reportArtifact(artifact)),
    ...(await step('Gate on the artifact: the Sonar evidence is missing', lookUp, failed('incomplete'))),
    ...(await step(
      'Attest Sonar results that do not say which commit was analysed: refused, and nothing is recorded',
      { ...attest, 'sonar-report-path': ofNoCommit },
      { exitCode: 1, outputs: { outcome: 'error', compliant: '' } },
    )),
    ...(await step(
      'Attest Sonar results whose quality gate passed',
      { ...attest, 'sonar-report-path': passing },
      passed({ state: 'OK' }),
    )),
    ...(await step('Gate on the artifact again: it passes', lookUp, passed({ state: 'COMPLIANT' }))),
    ...(await step(
      'Attest Sonar results whose quality gate failed: recorded, and the step fails',
      { ...attest, 'sonar-report-path': failing },
      failed('non-compliant'),
    )),
    ...(await step('Gate on the artifact: it fails now', lookUp, failed('non-compliant'))),
    ...(await step(
      'The same with on-non-compliant: warn: the step passes, and its outputs still say non-compliant',
      { ...lookUp, 'on-non-compliant': 'warn' },
      { ...failed('non-compliant'), exitCode: 0 },
    )),
    ...(await environmentStory(artifact)),
  ];
}

/** The steps about the environment that runs the artifact, whose Sonar evidence failed. */
async function environmentStory(artifact: string): Promise<readonly string[]> {
  const fingerprint = await fingerprintOf(artifact);
  const unknown = createHash('sha256').update('no build reported this').digest('hex');
  const pods = join(workspace, 'pods.json');
  await writeFile(pods, JSON.stringify(podList({ web: fingerprint })));
  const laterPods = join(workspace, 'later-pods.json');
  await writeFile(laterPods, JSON.stringify(podList({ web: fingerprint, sidecar: unknown })));
  const environment = 'production';
  const policy = 'known-and-compliant';
  const policyFile = join(workspace, 'policy.yaml');
  await writeFile(policyFile, policyText);

  const report = { operation: 'report-k8s', environment, files: pods };
  const list = { operation: 'list-snapshots', environment };
  return [
    ...(await step(
      'Create an environment',
      { operation: 'create-environment', environment, 'environment-type': 'K8S' },
      done({}),
    )),
    ...(await step('Report the pods that run the artifact', report, done({ state: 'changed' }))),
    ...(await step('List the snapshots: nothing is required of the environment yet, so there is no verdict', list, {
      ...failed('incomplete'),
      exitCode: 0,
    })),
    ...(await step(
      'Create a policy: artifacts must be known, and their trails compliant',
      { operation: 'create-policy', policy, files: policyFile },
      done({}),
    )),
    ...(await step(
      'Attach the policy to the environment: it is judged at once',
      { operation: 'attach-policy', environment, policy },
      done({ state: 'attached' }),
    )),
    ...(await step(
      'Report again, with an image that no build reported',
      { ...report, files: laterPods },
      done({ state: 'changed' }),
    )),
    ...(await step(
      'Gate on the environment, with on-non-compliant: fail: its latest snapshot fails the step',
      { ...list, 'on-non-compliant': 'fail' },
      failed('non-compliant'),
    )),
  ];
}

function done(outputs: Expected['outputs']): Expected {
  return { exitCode: 0, outputs: { outcome: 'done', compliant: '', ...outputs } };
}

function passed(outputs: Expected['outputs']): Expected {
  return { exitCode: 0, outputs: { outcome: 'compliant', compliant: 'true', ...outputs } };
}

function failed(outcome: 'non-compliant' | 'incomplete'): Expected {
  return { exitCode: 1, outputs: { outcome, compliant: 'false' } };
}

/** Runs a step, prints its log and summary, and returns what was not as expected. */
async function step(
  title: string,
  inputs: Readonly<Record<string, string>>,
  expected: Expected,
): Promise<readonly string[]> {
  console.log(`\n=== ${title}\n`);
  const environment = { ...jobEnvironment(), GITHUB_ACTION: title.toLowerCase().replaceAll(/\W+/gu, '_') };
  const result = await runAction({ inputs, environment, event: pushEvent() });
  console.log(formatLog(result.log));
  if (result.errorLog !== '') console.log(result.errorLog.trimEnd());
  console.log(`\n--- Job summary\n\n${formatSummary(result.summary)}`);
  return compare(title, result, expected);
}

function compare(title: string, result: ActionRun, expected: Expected): readonly string[] {
  const seen = Object.entries(expected.outputs).filter(([name, value]) => result.outputs[name] !== value);
  return [
    ...(result.exitCode === expected.exitCode
      ? []
      : [`${title}: ended with ${String(result.exitCode)} instead of ${expected.exitCode}`]),
    ...seen.map(([name, value]) => `${title}: output ${name} is ${String(result.outputs[name])} instead of ${value}`),
    ...(result.summary === '' ? [`${title}: there is no job summary`] : []),
  ];
}

/** The variables of a job for a push. The common inputs are set once, as under `env:` of the job. */
function jobEnvironment(): Record<string, string> {
  return {
    COMPLIANCE_BASE_URL: service.baseUrl,
    COMPLIANCE_API_TOKEN: key,
    COMPLIANCE_ORG: org,
    GITHUB_ACTOR: 'trial',
    GITHUB_API_URL: 'https://api.github.com',
    GITHUB_EVENT_NAME: 'push',
    GITHUB_JOB: 'trial',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: 'example/web',
    GITHUB_REPOSITORY_ID: '1',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '1',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: sha,
    GITHUB_WORKFLOW: 'trial',
    GITHUB_WORKSPACE: workspace,
  };
}

/** The parts of GitHub's payload of a push that a step reads. */
function pushEvent(): unknown {
  return {
    ref: 'refs/heads/main',
    after: sha,
    deleted: false,
    head_commit: null,
    commits: [],
    repository: { id: 1, name: 'web', full_name: 'example/web', default_branch: 'main' },
  };
}

/** Reports the artifact as its build would. The operations of the interface can only read artifacts. */
async function reportArtifact(path: string): Promise<readonly string[]> {
  const fingerprint = await fingerprintOf(path);
  const response = await fetch(`${service.baseUrl}/artifacts/${org}/${flow}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      fingerprint,
      filename: 'web.tar.gz',
      git_commit: sha,
      trail_name: sha,
      template_reference_name: 'web',
      build_url: 'https://github.com/example/web/actions/runs/1',
      commit_url: `https://github.com/example/web/commit/${sha}`,
      git_commit_info: { sha1: sha, branch: 'main', timestamp: Math.floor(Date.now() / 1000) },
    }),
  });
  console.log(`\n=== The build reports its artifact: ${response.status} ${await response.text()}`);
  return response.status === 201 ? [] : [`reporting the artifact failed with ${response.status}`];
}

async function fingerprintOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
