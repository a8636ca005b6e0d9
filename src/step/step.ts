import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Job, readJob, runUrl } from '../evidence/job.ts';
import type { Transport } from '../http/transport.ts';
import { createTransport } from '../http/undici-transport.ts';
import { steadyClock } from '../runtime/clock.ts';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import { withRunnerFile } from '../runtime/runner-file.ts';
import type { PublishContext } from './publish/github-session.ts';
import { reportDecision, reportResult, type ReportTarget } from './report/report-result.ts';
import { responseFile } from './report/response-file.ts';
import { githubRunner, type Runner } from './report/runner.ts';
import { collectSecrets } from './report/secrets.ts';
import { type CommonInputs, isPublished, readCommonInputs, secretTexts } from './run/common-inputs.ts';
import { decideFailure, decideResult } from './run/gate.ts';
import { type InputSource, runnerInputs } from './run/read-inputs.ts';
import { runOperation } from './run/run-operation.ts';
import type { StepResult } from './run/step-result.ts';

export { Cancellation } from './run/cancellation.ts';

interface Step {
  readonly environment: EnvironmentVariables;
  readonly inputSource: InputSource;
  readonly inputs: CommonInputs;
  readonly job: JobReading;
  readonly target: ReportTarget;
  /**
   * The transport for the service, Sonar and GitHub, opened on first use. It is not closed, because the process ends
   * with the step.
   *
   * @throws UserError if HTTP(S)_PROXY is not a valid proxy URL
   */
  readonly transport: () => Transport;
  readonly cancelled: AbortSignal;
}

type JobReading = { readonly job: Job } | { readonly job?: undefined; readonly thrown: unknown };

/**
 * Runs a step: reads the inputs, runs the operation, decides, reports and publishes. Whatever is thrown is reported,
 * too.
 *
 * @param environment that of the process, which @actions/core reads as well
 * @param cancelled aborted when the job is cancelled
 * @param fixedOperation the operation, if the action has only one (`actions/`)
 * @returns whether the step passes
 */
export async function runStep(
  environment: EnvironmentVariables,
  cancelled: AbortSignal,
  fixedOperation?: string,
): Promise<boolean> {
  const inputSource = runnerInputs(environment, fixedOperation);
  const secrets = collectSecrets(secretTexts(inputSource));
  const runner = githubRunner(environment, secrets);
  // Before anything else is logged.
  runner.mask();
  let directory: string;
  try {
    directory = makeTemporaryDirectory(environment);
  } catch (thrown) {
    reportWithoutDirectory(thrown, runner);
    return false;
  }
  let transport: Transport | undefined;
  const step: Step = {
    environment,
    inputSource,
    inputs: readCommonInputs(inputSource),
    job: tryReadJob(environment),
    target: { runner, secrets, directory },
    transport: () => (transport ??= createTransport(environment)),
    cancelled,
  };
  try {
    return await judgeAndReport(step);
  } catch (thrown) {
    await reportFailure(step, thrown);
    return false;
  }
}

/** @throws RunnerFileError if the runner's temporary folder cannot be used */
function makeTemporaryDirectory(environment: EnvironmentVariables): string {
  const parent = environment['RUNNER_TEMP'] ?? '';
  const temporary = parent === '' ? tmpdir() : parent;
  return withRunnerFile({ variable: 'RUNNER_TEMP', holds: "the step's temporary folder" }, () => {
    mkdirSync(temporary, { recursive: true });
    return mkdtempSync(join(temporary, 'compliance-action-'));
  });
}

function tryReadJob(environment: EnvironmentVariables): JobReading {
  try {
    return { job: readJob(environment) };
  } catch (thrown) {
    return { thrown };
  }
}

/** Runs the operation, applies the gate and reports the result. Returns whether the step passes. */
async function judgeAndReport(step: Step): Promise<boolean> {
  const { environment, inputSource, inputs, target, cancelled } = step;
  // Detects a full disk before anything is sent. It is also what later steps read if the runner kills this one.
  target.runner.setOutputs({ outcome: 'error' });
  if (step.job.job === undefined) throw step.job.thrown;
  const { job } = step.job;
  const { result, onNonCompliant, readCheckpoint } = await runOperation({
    inputs,
    inputSource,
    environment,
    job,
    transport: step.transport(),
    signal: cancelled,
    temporaryDirectory: target.directory,
    secretForms: target.secrets.forms,
    addSecret: (secret) => {
      target.secrets.add(secret);
      target.runner.mask();
    },
    responseFile: responseFile(target),
    clock: steadyClock,
    random: Math.random,
    log: target.runner.log,
    beforeWaiting: () => reportWaiting(step),
  });
  const decision = decideResult(result, onNonCompliant);
  // Meanwhile, the report is logged.
  const checkpoint = readCheckpoint?.();
  const isReported = await report(step, { decision, result, runUrl: runUrl(job), summary: inputs.summary }, checkpoint);
  return isReported && !decision.fails;
}

/** Reports an error that kept the step from its result. */
async function reportFailure(step: Step, thrown: unknown): Promise<void> {
  const { job } = step.job;
  logStack(step.target.runner, thrown);
  await report(step, {
    decision: decideFailure(thrown),
    thrown,
    runUrl: job === undefined ? undefined : runUrl(job),
    summary: step.inputs.summary,
  });
}

/** Reports that there is no temporary directory: without it, neither a response file nor a summary is written. */
function reportWithoutDirectory(thrown: unknown, runner: Runner): void {
  logStack(runner, thrown);
  const decision = decideFailure(thrown);
  try {
    runner.setOutputs({ outcome: decision.outcome });
  } catch (alsoThrown) {
    logStack(runner, alsoThrown);
  }
  reportDecision(decision, runner);
}

/** Reports and publishes the result. The code for publishing is loaded only if it is needed. */
function report(step: Step, result: StepResult, checkpoint?: Promise<string | undefined>): Promise<boolean> {
  const { publication } = step.inputs;
  return reportResult(result, { ...step.target, checkpoint }, async (shown) => {
    if (!isPublished(publication)) return;
    const { publishResult } = await import('./publish/publish.ts');
    await publishResult(shown, publication, await publishContext(step));
  });
}

/** Sets the pending status. Never fails the step: the final status will, if needed, warn of the same problem. */
async function reportWaiting(step: Step): Promise<void> {
  const { publication } = step.inputs;
  if (publication.commitStatus === undefined) return;
  try {
    const { publishPending } = await import('./publish/publish.ts');
    await publishPending(publication, await publishContext(step));
  } catch (thrown) {
    logStack(step.target.runner, thrown);
  }
}

async function publishContext({
  environment,
  inputSource,
  job,
  target,
  transport,
  cancelled,
}: Step): Promise<PublishContext> {
  const { readStepIdentity } = await import('./run/step-identity.ts');
  return {
    environment,
    job: job.job,
    identity: readStepIdentity(inputSource),
    redact: target.secrets.redact,
    transport: transport(),
    cancelled,
    clock: steadyClock,
    random: Math.random,
    log: target.runner.log,
  };
}

function logStack(runner: Runner, thrown: unknown): void {
  runner.log.debug(thrown instanceof Error ? (thrown.stack ?? '') : '');
}
