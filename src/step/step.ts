import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJob, runUrl, type Job } from '../evidence/job.ts';
import type { Transport } from '../http/exchange.ts';
import { createTransport } from '../http/transport.ts';
import { summary as summaryInput } from '../operations/inputs/gate.ts';
import { withDefault } from '../operations/inputs/input.ts';
import { systemClock } from '../runtime/clock.ts';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import { announce, conclude, type Desk, type Ending } from './report/report-result.ts';
import { decideFailure, decideResult } from './run/gate.ts';
import { allTexts, readInputs } from './run/read-inputs.ts';
import { perform } from './run/run-operation.ts';
import { isPublished, publicationInputs } from './run/step-inputs.ts';
import type { Publisher } from './publish/publish.ts';
import { responseFile } from './report/response-file.ts';
import { withRunnerFile } from '../runtime/runner-file.ts';
import { githubRunner, type Runner } from './report/runner.ts';
import { collectSecrets, type Secrets } from './report/secrets.ts';

export { Cancellation } from './run/cancellation.ts';

/** The inputs that hold keys and tokens. */
export const secretInputs = ['api-token', 'sonar-token', 'github-token'] as const;

/** A step of a job: what it was started with, and where it tells how it ended. */
export interface Step {
  readonly environment: EnvironmentVariables;
  readonly desk: Desk;
  /**
   * The one way to the service, to Sonar and to GitHub, opened when it is first used; not closed, for the process ends with
   * the step.
   *
   * @throws UserError where the environment names a proxy that is none
   */
  readonly transport: () => Transport;
  /** Aborted when the job is cancelled. */
  readonly cancelled: AbortSignal;
}

/**
 * Opens the step: masks the secrets before anything else is said.
 *
 * @throws RunnerFileError where the runner's temporary folder cannot be used; `failUnopened` tells that
 */
export function openStep(environment: EnvironmentVariables, cancelled: AbortSignal): Step {
  const { runner, secrets } = connectRunner(environment);
  runner.mask();
  const parent = environment['RUNNER_TEMP'] ?? '';
  const temporary = parent === '' ? tmpdir() : parent;
  const directory = withRunnerFile({ variable: 'RUNNER_TEMP', holds: "the step's temporary folder" }, () => {
    mkdirSync(temporary, { recursive: true });
    return mkdtempSync(join(temporary, 'compliance-action-'));
  });
  let transport: Transport | undefined;
  return {
    environment,
    desk: { runner, secrets, directory },
    transport: () => (transport ??= createTransport(environment)),
    cancelled,
  };
}

function connectRunner(environment: EnvironmentVariables): { readonly runner: Runner; readonly secrets: Secrets } {
  const secrets = collectSecrets(secretInputs.flatMap((name) => allTexts(environment, name)));
  return { runner: githubRunner(environment, secrets), secrets };
}

/**
 * Runs the step's operation and tells how it ended.
 *
 * @returns whether the step passes
 * @throws whatever keeps it from an end; `failStep` tells that
 */
export async function runStep(step: Step): Promise<boolean> {
  const { environment, desk, cancelled } = step;
  // Written and not only opened: a disk that is full shows itself before anything is sent. It also is what later steps read if
  // the runner kills this one.
  desk.runner.setOutputs({ outcome: 'error' });
  const job = readJob(environment);
  const { result, onNonCompliant } = await perform({
    environment,
    job,
    transport: step.transport(),
    signal: cancelled,
    temporaryDirectory: desk.directory,
    responseFile: responseFile(desk),
    clock: systemClock,
    random: Math.random,
    log: desk.runner.log,
    beforeWaiting: () => tellOfWaiting(step, job),
  });
  const decision = decideResult(result, onNonCompliant);
  const isTold = await end(step, { decision, result, runUrl: runUrl(job), summary: wantsSummary(environment) }, job);
  return isTold && !decision.fails;
}

/** Tells that the step failed, and why. */
export async function failStep(step: Step, thrown: unknown): Promise<void> {
  const { environment, desk } = step;
  const job = jobIfReadable(environment);
  logStack(desk.runner, thrown);
  const ending = {
    decision: decideFailure(thrown),
    thrown,
    runUrl: job === undefined ? undefined : runUrl(job),
    summary: wantsSummary(environment),
  };
  await end(step, ending, job);
}

/** Tells that the step could not even be opened, and why: there is no place for an answer's file, nor for a summary. */
export function failUnopened(environment: EnvironmentVariables, thrown: unknown): void {
  const { runner } = connectRunner(environment);
  logStack(runner, thrown);
  const decision = decideFailure(thrown);
  try {
    runner.setOutputs({ outcome: decision.outcome });
  } catch (alsoThrown) {
    logStack(runner, alsoThrown);
  }
  announce(decision, runner);
}

/** What is shown beside the run is loaded only where that is wanted. */
async function end(step: Step, ending: Ending, job: Job | undefined): Promise<boolean> {
  const wanted = readInputs(step.environment, publicationInputs).values;
  return conclude(ending, step.desk, async (shown) => {
    if (!isPublished(wanted)) return;
    const { publish } = await import('./publish/publish.ts');
    await publish(shown, wanted, publisherOf(step, job));
  });
}

/** Never fails the step: what could not be told now is told, or warned of, at its end. */
async function tellOfWaiting(step: Step, job: Job): Promise<void> {
  const wanted = readInputs(step.environment, publicationInputs).values;
  if (wanted.commitStatus === undefined) return;
  try {
    const { publishWaiting } = await import('./publish/publish.ts');
    await publishWaiting(wanted, publisherOf(step, job));
  } catch (thrown) {
    logStack(step.desk.runner, thrown);
  }
}

function publisherOf({ environment, desk, transport, cancelled }: Step, job: Job | undefined): Publisher {
  return { environment, job, desk, transport: transport(), cancelled, clock: systemClock, random: Math.random };
}

/** The error that is told may be the job's own. */
function jobIfReadable(environment: EnvironmentVariables): Job | undefined {
  try {
    return readJob(environment);
  } catch {
    return undefined;
  }
}

function logStack(runner: Runner, thrown: unknown): void {
  runner.log.debug(thrown instanceof Error ? (thrown.stack ?? '') : '');
}

/** A malformed `summary` is reported with the other inputs; the report of that belongs in the summary. */
function wantsSummary(environment: EnvironmentVariables): boolean {
  const { values, problems } = readInputs(environment, { summary: withDefault(summaryInput, true) });
  return problems.length > 0 || values.summary;
}
