import { ServiceError } from '../../client/service-error.ts';
import type { Evidence, Report, Table } from '../../operations/report.ts';
import { describeError, Failure } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { RunnerFileError } from '../../runtime/runner-file.ts';
import { safeHref } from './escape.ts';
import { titleOfRunnerError, type Decision } from '../run/gate.ts';
import type { StepResult } from '../run/step-result.ts';
import { redactResult } from './redacted-result.ts';
import { writeResponse, type StoredResponse } from './response-file.ts';
import type { Runner } from './runner.ts';
import type { Secrets } from './secrets.ts';
import { renderSummary, toSummaryContent } from './summary.ts';

/** Where the ending is told. */
export interface ReportTarget {
  readonly runner: Runner;
  readonly secrets: Secrets;
  /** A directory that lasts as long as the job. */
  readonly directory: string;
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
  const unwritten = setOutputs(stepResult, target);
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

async function logReport(report: Report, { log }: Runner): Promise<void> {
  await log.group(report.subject, () => {
    if (report.evidence !== undefined) logEvidence(report.evidence, log);
    for (const { label, value } of report.facts) log.info(`${label}: ${value.text}`);
    for (const table of report.tables) logTable(table, log);
    for (const { label, text } of report.copies ?? []) log.info(`${text}  ${label}`.trimEnd());
    return Promise.resolve();
  });
}

function logEvidence({ table, notes, problems, moreProblems }: Evidence, log: Log): void {
  logTable(table, log);
  for (const note of notes) log.info(note);
  if (problems.length > 0) log.info('Missing or failed:');
  for (const line of problems) log.info(`  ${line.map(({ text }) => text).join('')}`);
  if (moreProblems > 0) log.info(`  … and ${moreProblems} more, in the file of response-path`);
}

function logTable({ title, columns, rows, more = 0 }: Table, log: Log): void {
  log.info(`${title} (${columns.join(' | ')}):`);
  for (const row of rows) log.info(`  ${row.map(({ text }) => text).join(' | ')}`);
  if (more > 0) log.info(`  … and ${more} more, in the file of response-path`);
}

/** Sets the outputs and writes the answer's file; gives what could not be written. */
function setOutputs(stepResult: StepResult, target: ReportTarget): readonly RunnerFileError[] {
  const { result, thrown } = stepResult;
  const response = result === undefined ? { error: errorOf(thrown) } : result.response;
  const answer = writeResponse({ response, written: result?.written }, target);
  const unwritten = answer.failure === undefined ? [] : [answer.failure];
  try {
    target.runner.setOutputs(outputsOf(stepResult, answer));
    return unwritten;
  } catch (error) {
    if (error instanceof RunnerFileError) return [...unwritten, error];
    throw error;
  }
}

function outputsOf(
  { decision, result }: StepResult,
  { path, output }: StoredResponse,
): Readonly<Record<string, string>> {
  return {
    outcome: decision.outcome,
    compliant: compliantOutput(decision.outcome),
    state: result?.state ?? '',
    response: output,
    'response-path': path,
    fingerprint: result?.fingerprint ?? '',
    'html-url': safeHref(result?.htmlUrl) ?? '',
    count: result?.count?.toString() ?? '',
  };
}

/** Empty where there is no verdict, so that neither `== 'true'` nor `== 'false'` holds by accident. */
function compliantOutput(outcome: Decision['outcome']): string {
  if (outcome === 'compliant') return 'true';
  return outcome === 'non-compliant' || outcome === 'incomplete' ? 'false' : '';
}

function errorOf(thrown: unknown): Readonly<Record<string, unknown>> {
  if (thrown instanceof ServiceError) {
    const { status, serviceMessage, fieldErrors } = thrown.facts;
    const { kind, message: what, remedy } = thrown;
    return { kind, what, remedy, status, message: serviceMessage, errors: fieldErrors };
  }
  if (thrown instanceof Failure) return { kind: thrown.kind, what: thrown.message, remedy: thrown.remedy };
  return { kind: 'defect' };
}

function appendSummary(stepResult: StepResult, runner: Runner): void {
  const room = runner.summaryRoom();
  if (room !== undefined) runner.appendSummary(renderSummary(toSummaryContent(stepResult), room));
}
