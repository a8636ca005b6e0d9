import { describeError, Failure } from '../../runtime/failure.ts';
import type { RunnerFileError } from '../../runtime/runner-file.ts';
import { type Decision, lostEvidenceTitle, runnerErrorTitle } from '../run/gate.ts';
import type { StepResult } from '../run/step-result.ts';
import { logReport } from './log-report.ts';
import { setOutputs } from './outputs.ts';
import { redactResult } from './redacted-result.ts';
import type { ResponseLocation } from './response-file.ts';
import type { Runner } from './runner.ts';
import { renderSummary, toSummaryContent } from './summary.ts';

/** Where a result is reported. */
export interface ReportTarget extends ResponseLocation {
  readonly runner: Runner;
  /** The checkpoint of the log, for outputs and summary; must not reject. */
  readonly checkpoint?: Promise<string | undefined> | undefined;
}

/** Publishes a redacted result on GitHub. What it throws becomes a warning: the verdict does not depend on it. */
type Publish = (stepResult: StepResult) => Promise<void>;

/**
 * Reports how a step ended: log, outputs, response file and summary first, then what is published, and the annotation
 * last. If one of them cannot be written, the others still are.
 *
 * @returns false if an operation's outputs or response file could not be written, in which case the step fails
 */
export async function reportResult(given: StepResult, target: ReportTarget, publish?: Publish): Promise<boolean> {
  const { decision, result } = given;
  if (result !== undefined) await logReport(result.report, target.runner);
  const stepResult = { ...given, checkpoint: await target.checkpoint };
  const unwritten = setOutputs(stepResult, target.runner, target);
  const shown = redactResult(stepResult, target.secrets.redact);
  await warnInstead(target.runner, async () => {
    if (stepResult.summary) await appendSummary(shown, target.runner);
  });
  await publish?.(shown).catch((thrown: unknown) => {
    target.runner.log.warning(`The result was not published on GitHub: ${describeError(thrown)}`);
  });
  for (const error of unwritten) reportUnwritten(error, stepResult, target.runner);
  if (result?.lost !== undefined) {
    const { message, remedy } = result.lost;
    target.runner.annotate('error', lostEvidenceTitle(result.report), `${message}\n${remedy}`);
  }
  reportDecision(decision, target.runner);
  return result === undefined || unwritten.length === 0;
}

/** If the step itself failed, that is the error to report, and this is only a warning. */
function reportUnwritten(error: RunnerFileError, { decision, result }: StepResult, runner: Runner): void {
  if (result !== undefined) {
    const message = `${error.message}. The verdict stands: ${decision.verdict}.\n${error.remedy}`;
    runner.annotate('error', runnerErrorTitle(error), message);
  } else if (!decision.conclusion.includes(error.message)) {
    runner.log.warning(`${error.message}. ${error.remedy}`);
  }
}

async function warnInstead({ log }: Runner, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    log.warning(thrown instanceof Failure ? `${thrown.message}. ${thrown.remedy}` : describeError(thrown));
  }
}

/** Logs the decision, or annotates it; the runner shows annotations in the log as well. */
export function reportDecision({ annotation, conclusion, remedy, verdict }: Decision, runner: Runner): void {
  if (annotation === undefined) {
    runner.log.info(`${verdict}: ${conclusion}`);
  } else {
    const message = remedy === undefined ? conclusion : `${conclusion}\n${remedy}`;
    runner.annotate(annotation.level, annotation.title, message);
  }
}

async function appendSummary(stepResult: StepResult, runner: Runner): Promise<void> {
  const room = runner.summaryRoom();
  // The summary is shown on the page of the run.
  const content = { ...toSummaryContent(stepResult), runUrl: undefined };
  if (room !== undefined) await runner.appendSummary(renderSummary(content, room));
}
