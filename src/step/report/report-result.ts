import { describeError, Failure } from '../../runtime/failure.ts';
import type { RunnerFileError } from '../../runtime/runner-file.ts';
import { titleOfRunnerError, type Decision } from '../run/gate.ts';
import type { StepResult } from '../run/step-result.ts';
import { logReport } from './log-report.ts';
import { setOutputs } from './outputs.ts';
import { redactResult } from './redacted-result.ts';
import type { ResponseLocation } from './response-file.ts';
import type { Runner } from './runner.ts';
import { renderSummary, toSummaryContent } from './summary.ts';

/** Where the ending is told. */
export interface ReportTarget extends ResponseLocation {
  readonly runner: Runner;
}

/**
 * Shows an ending, which holds no secrets any more, beside the run, where people look. What it throws is a warning: the
 * verdict does not depend on it.
 */
type Publish = (stepResult: StepResult) => Promise<void>;

/**
 * Tells how a step ended: log, outputs, file and summary first, then elsewhere, and the annotation last, where it is seen.
 * What cannot be written keeps nothing else from being told.
 *
 * @returns whether later steps can read what an operation ended with: without that, the step fails
 */
export async function reportResult(stepResult: StepResult, target: ReportTarget, publish?: Publish): Promise<boolean> {
  const { decision, result } = stepResult;
  if (result !== undefined) await logReport(result.report, target.runner);
  const unwritten = setOutputs(stepResult, target.runner, target);
  const shown = redactResult(stepResult, target.secrets.redact);
  warnInstead(target.runner, () => {
    if (stepResult.summary) appendSummary(shown, target.runner);
  });
  await publish?.(shown).catch((thrown: unknown) => {
    target.runner.log.warning(`The end of the step was not shown beside its run: ${describeError(thrown)}`);
  });
  for (const error of unwritten) reportUnwritten(error, stepResult, target.runner);
  reportDecision(decision, target.runner);
  return result === undefined || unwritten.length === 0;
}

/** Where something failed, that is what has to be told, and not that it could not be written down. */
function reportUnwritten(error: RunnerFileError, { decision, result }: StepResult, runner: Runner): void {
  if (result !== undefined) {
    const message = `${error.message}. The verdict stands all the same: ${decision.verdict}.\n${error.remedy}`;
    runner.annotate('error', titleOfRunnerError(error), message);
  } else if (!decision.conclusion.includes(error.message)) {
    runner.log.warning(`${error.message}. ${error.remedy}`);
  }
}

function warnInstead({ log }: Runner, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    log.warning(thrown instanceof Failure ? `${thrown.message}. ${thrown.remedy}` : describeError(thrown));
  }
}

/** Says the end in the log. The runner shows an annotation in the log as well, so nothing is said twice. */
export function reportDecision({ annotation, conclusion, remedy, verdict }: Decision, runner: Runner): void {
  if (annotation === undefined) {
    runner.log.info(`${verdict}: ${conclusion}`);
  } else {
    const message = remedy === undefined ? conclusion : `${conclusion}\n${remedy}`;
    runner.annotate(annotation.level, annotation.title, message);
  }
}

function appendSummary(stepResult: StepResult, runner: Runner): void {
  const room = runner.summaryRoom();
  if (room !== undefined) runner.appendSummary(renderSummary(toSummaryContent(stepResult), room));
}
