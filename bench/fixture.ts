import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRepository } from '../tools/make-repository.ts';
import { runAction, type StepSettings } from '../tools/run-action.ts';
import { webhookReport } from '../trial/sonar-report.ts';
import { startTrialService, type TrialService } from '../trial/trial-service.ts';
import { type Job, jobOf, type JobSettings } from './job.ts';
import type { Command } from './run-process.ts';
import { stepCommand } from './step-command.ts';

const org = 'bench';
const flow = 'web';
/** 10 MB as the action and the service count it. */
const tenMegabytes = 10 * 1024 * 1024;
/** Random bytes do not compress, so the archive of these files is a few kB below the limit. */
const archived = { files: 1000, bytes: 10_240 };

/** What the measurements use: a service, a repository, and files to send. */
export interface Fixture {
  /** For the files of a measurement. */
  readonly directory: string;
  readonly org: string;
  readonly flow: string;
  readonly key: string;
  /** An artifact that the service considers compliant. */
  readonly fingerprint: string;
  readonly commit: string;
  /** The folder of the git repository. */
  readonly workspace: string;
  readonly steps: Steps;
  readonly service: TrialService;
  /** Starts the service again on the same data, after it was stopped. */
  readonly startService: () => Promise<TrialService>;
}

/** The steps that are measured. */
export interface Steps {
  readonly getArtifact: Command;
  readonly attestSmallFile: Command;
  readonly attestNothing: Command;
  readonly attestLargeFile: Command;
  readonly attestArchive: Command;
}

/** Runs work in a fixture and removes it. The records are made and checked by the action itself. */
export async function withFixture<Result>(work: (fixture: Fixture) => Promise<Result>): Promise<Result> {
  // Not in the system's temporary folder, which may be in memory, where a durable write costs nothing.
  const build = join(import.meta.dirname, '..', 'build');
  await mkdir(build, { recursive: true });
  const directory = await mkdtemp(join(build, 'bench-'));
  const key = `bench_${randomBytes(32).toString('hex')}`;
  const startService = (): Promise<TrialService> => startTrialService(join(directory, 'data'), org, key);
  try {
    const service = await startService();
    try {
      const base = { directory, org, flow, key, service, startService };
      return await work({ ...base, ...(await prepare(directory, { baseUrl: service.baseUrl, key })) });
    } finally {
      await service.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function prepare(
  directory: string,
  { baseUrl, key }: Pick<JobSettings, 'baseUrl' | 'key'>,
): Promise<Pick<Fixture, 'fingerprint' | 'commit' | 'workspace' | 'steps'>> {
  const workspace = join(directory, 'workspace');
  const commit = await makeRepository(workspace);
  await makeEvidence(workspace, commit);
  const job = jobOf({ baseUrl, key, org, workspace, commit });
  const fingerprint = createHash('sha256').update('an artifact of the bench').digest('hex');
  await record({ job, baseUrl, key, commit, fingerprint });
  return { fingerprint, commit, workspace, steps: await makeSteps(directory, job, fingerprint) };
}

async function makeEvidence(workspace: string, commit: string): Promise<void> {
  await writeFile(join(workspace, 'sonar.json'), JSON.stringify(webhookReport(commit, 'OK', '87.5')));
  await writeFile(join(workspace, 'small.bin'), randomBytes(100_000));
  await writeFile(join(workspace, 'large.bin'), randomBytes(tenMegabytes));
  const many = join(workspace, 'many');
  await mkdir(many);
  for (let number = 0; number < archived.files; number += 1) {
    await writeFile(join(many, `${number}.bin`), randomBytes(archived.bytes));
  }
}

interface Recorded {
  readonly job: Job;
  readonly baseUrl: string;
  readonly key: string;
  readonly commit: string;
  readonly fingerprint: string;
}

/** Records the flow, the artifact and its evidence. */
async function record({ job, baseUrl, key, commit, fingerprint }: Recorded): Promise<void> {
  const description = 'For the bench';
  await runPassingStep({
    ...job,
    inputs: { operation: 'create-flow', flow, description, template: 'artifact\nsonar' },
  });
  const response = await fetch(`${baseUrl}/artifacts/${org}/${flow}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      fingerprint,
      filename: 'web.tar.gz',
      git_commit: commit,
      trail_name: commit,
      template_reference_name: 'web',
      build_url: 'https://github.com/example/web/actions/runs/1',
      commit_url: `https://github.com/example/web/commit/${commit}`,
    }),
  });
  if (response.status !== 201)
    throw new Error(`reporting the artifact failed with ${response.status}: ${await response.text()}`);
  await runPassingStep({ ...job, inputs: attestInputs() });
  const looked = await runPassingStep({ ...job, inputs: { operation: 'get-artifact', flow, fingerprint } });
  if (looked.summary === '') throw new Error('get-artifact wrote no summary');
}

/** Runs a step. @throws Error if it fails or sets no outputs, because such a step must not be measured */
async function runPassingStep(settings: StepSettings): ReturnType<typeof runAction> {
  const result = await runAction(settings);
  if (result.exitCode === 0 && result.outputs['outcome'] !== undefined) return result;
  throw new Error(`${settings.inputs['operation'] ?? ''} failed:\n${result.log}\n${result.errorLog}`);
}

/**
 * Without `trail`, attests to the trail of the commit, which has the artifact; with it, does not change the artifact.
 */
function attestInputs(trail?: string, files?: string): Record<string, string> {
  return {
    operation: 'attest-sonar',
    flow,
    'sonar-report-path': 'sonar.json',
    'unverified-revision': 'warn',
    ...(trail === undefined ? {} : { trail }),
    ...(files === undefined ? {} : { files }),
  };
}

async function makeSteps(directory: string, job: Job, fingerprint: string): Promise<Steps> {
  const make = (name: string, inputs: Record<string, string>): Promise<Command> =>
    stepCommand(join(directory, name), { ...job, inputs });
  return {
    getArtifact: await make('get-artifact', { operation: 'get-artifact', flow, fingerprint }),
    attestSmallFile: await make('attest-small', attestInputs('elsewhere', 'small.bin')),
    attestNothing: await make('attest-nothing', attestInputs('elsewhere')),
    attestLargeFile: await make('attest-large', attestInputs('elsewhere', 'large.bin')),
    attestArchive: await make('attest-archive', attestInputs('elsewhere', 'many')),
  };
}
