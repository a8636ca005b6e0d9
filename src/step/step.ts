import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJob, runUrl, type Job } from '../evidence/job.ts';
import { createTransport } from '../http/transport.ts';
import { summary as summaryInput } from '../operations/inputs/gate.ts';
import { withDefault } from '../operations/inputs/input.ts';
import { systemClock } from '../runtime/clock.ts';
import { TroubleError } from '../runtime/failure.ts';
import type { Environment } from '../runtime/world.ts';
import { conclude, type Desk } from './conclude.ts';
import { decideFailure, decideResult } from './gate.ts';
import { inputText, readInputs } from './inputs.ts';
import { perform } from './perform.ts';
import { responseFile } from './response-file.ts';
import { githubRunner } from './runner.ts';
import { collectSecrets } from './secrets.ts';

/** The inputs that hold keys and tokens. */
export const secretInputs = ['api-token', 'sonar-token', 'github-token'] as const;

/** A step of a job: what it was started with, and where it tells how it ended. */
export interface Step {
  readonly environment: Environment;
  readonly desk: Desk;
}

/** Opens the step: masks the secrets before anything else is said. */
export function openStep(environment: Environment): Step {
  const secrets = collectSecrets(secretInputs.flatMap((name) => inputText(environment, name) ?? []));
  const runner = githubRunner(environment, secrets);
  runner.mask();
  const parent = environment['RUNNER_TEMP'] ?? '';
  const temporary = parent === '' ? tmpdir() : parent;
  mkdirSync(temporary, { recursive: true });
  const directory = mkdtempSync(join(temporary, 'compliance-action-'));
  return { environment, desk: { runner, secrets, directory } };
}

/**
 * Runs the step's operation and tells how it ended.
 *
 * @param cancelled aborted when the job is cancelled
 * @returns whether the step passes
 * @throws whatever keeps it from an end; `failStep` tells that
 */
export async function runStep(step: Step, cancelled: AbortSignal): Promise<boolean> {
  const { environment, desk } = step;
  const transport = createTransport(environment);
  try {
    const job = await readJob(environment);
    const { result, onNonCompliant } = await perform({
      environment,
      job,
      transport,
      signal: cancelled,
      temporaryDirectory: desk.directory,
      responseFile: responseFile(desk),
      clock: systemClock,
      random: Math.random,
      log: desk.runner.log,
    });
    const decision = decideResult(result, onNonCompliant);
    await conclude({ decision, result, runUrl: runUrl(job), summary: wantsSummary(environment) }, desk);
    return !decision.fails;
  } finally {
    await transport.close();
  }
}

/** Tells that the step failed, and why. */
export async function failStep({ environment, desk }: Step, thrown: unknown): Promise<void> {
  const job: Job | undefined = await readJob(environment).catch(() => undefined);
  const decision = decideFailure(thrown);
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  desk.runner.log.debug(stack);
  await conclude(
    { decision, thrown, runUrl: job === undefined ? undefined : runUrl(job), summary: wantsSummary(environment) },
    desk,
  );
}

/** The reason of a step that was cancelled. */
export function cancellation(signal: string): TroubleError {
  return new TroubleError({
    what: `the step was cancelled (${signal}) before it was finished`,
    remedy: 'Run the job again if it was cancelled by mistake.',
  });
}

/** A malformed `summary` is reported with the other inputs; the report of that belongs in the summary. */
function wantsSummary(environment: Environment): boolean {
  const { values, problems } = readInputs(environment, { summary: withDefault(summaryInput, true) });
  return problems.length > 0 || values.summary;
}
