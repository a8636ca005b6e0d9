import { ServiceError } from '../../client/service-error.ts';
import type { OperationResult } from '../../operations/operation.ts';
import type { Report } from '../../operations/report.ts';
import { defectRemedy, describeError, Failure, UserError } from '../../runtime/failure.ts';
import { RunnerFileError } from '../../runtime/runner-file.ts';
import { Cancellation } from './cancellation.ts';

/** The output `outcome`, which later steps read. */
type Outcome = 'compliant' | 'non-compliant' | 'incomplete' | 'done' | 'skipped' | 'kept' | 'error';

export type AnnotationLevel = 'error' | 'warning' | 'notice';

/** The input `on-non-compliant`: what a verdict other than compliant does to the step. */
export type OnNonCompliant = 'fail' | 'warn' | 'ignore';

/** Whether the step fails, and what it says about that. */
export interface Decision {
  readonly outcome: Outcome;
  readonly fails: boolean;
  /** The verdict in a word or two, with its symbol: `✅ Compliant`. */
  readonly verdict: string;
  /** One sentence, or one line per problem. */
  readonly conclusion: string;
  readonly remedy?: string;
  readonly annotation?: { readonly level: AnnotationLevel; readonly title: string };
}

const verdicts: Readonly<Record<Outcome, string>> = {
  compliant: '✅ Compliant',
  'non-compliant': '❌ Non-compliant',
  incomplete: '⏳ Incomplete',
  done: '✅ Done',
  skipped: '⏭️ Skipped',
  kept: '📦 Kept',
  error: '⛔ Error',
};

// The outcomes that keep a gate closed. A skipped step judged nothing, so it must not count as a verdict.
const closed: Readonly<Partial<Record<Outcome, string>>> = {
  'non-compliant': 'Non-compliant',
  incomplete: 'Incomplete',
  skipped: 'Nothing was judged',
};

/** Decides what the result of an operation does to the step. It fails if evidence was lost, whatever the verdict does. */
export function decideResult(result: OperationResult, onNonCompliant: OnNonCompliant): Decision {
  if (result.failure !== undefined) return decidePartialFailure(result.failure, result.conclusion);
  const { outcome, conclusion } = result;
  const isLost = result.lost !== undefined;
  const decision = { outcome, fails: isLost, verdict: verdicts[outcome], conclusion };
  const reason = closed[outcome];
  if (reason === undefined || onNonCompliant === 'ignore') {
    return result.spoolPath === undefined ? decision : { ...decision, annotation: keptAnnotation(result) };
  }
  const fails = onNonCompliant === 'fail';
  return {
    ...decision,
    fails: fails || isLost,
    annotation: { level: fails ? 'error' : 'warning', title: `${reason}: ${result.report.subject}` },
  };
}

/** Evidence that may not be on record must be noticed, whatever the verdict does to the step. */
function keptAnnotation({ report }: OperationResult): NonNullable<Decision['annotation']> {
  return { level: 'warning', title: `Evidence kept, not confirmed: ${report.subject}` };
}

export function lostEvidenceTitle({ subject }: Report): string {
  return `Evidence neither confirmed nor kept: ${subject}`;
}

/** Keeps what is known besides the failure. The failure's message is always included: the remedy refers to it. */
function decidePartialFailure(failure: Failure, known: string): Decision {
  const decision = decideFailure(failure);
  const words = decision.conclusion;
  return { ...decision, conclusion: known.includes(words) ? known : `${known}\n${words}` };
}

/** Decides what a thrown error does to the step: it fails, even with `on-non-compliant: ignore`: nothing was judged. */
export function decideFailure(thrown: unknown): Decision {
  const { title, ...advice } = classifyFailure(thrown);
  return {
    outcome: 'error',
    fails: true,
    verdict: verdicts.error,
    conclusion: describeFailure(thrown),
    ...advice,
    annotation: { level: 'error', title },
  };
}

const mistake = 'Mistake in the workflow';
/** The maximum number of mistakes that an annotation lists; every broken link in `files` is one. */
const maximumListed = 20;

function classifyFailure(thrown: unknown): { title: string; remedy?: string } {
  if (thrown instanceof UserError) {
    const count = thrown.problems.length;
    // Several problems each have their own remedy, which is part of the conclusion.
    return count === 1 ? { title: mistake, remedy: thrown.remedy } : { title: `${count} mistakes in the workflow` };
  }
  // A cancelled poll wraps the cancellation to say what it was waiting for.
  if (thrown instanceof Cancellation || (thrown instanceof Failure && thrown.cause instanceof Cancellation)) {
    return { title: 'Cancelled', remedy: thrown.remedy };
  }
  if (thrown instanceof RunnerFileError) return { title: runnerErrorTitle(thrown), remedy: thrown.remedy };
  if (thrown instanceof Failure) {
    // A redirect is not a refusal: it leads to a sign-in page, or away from `base-url`.
    const refused =
      thrown instanceof ServiceError && thrown.facts.status >= 400 ? 'Refused by the compliance service' : mistake;
    return {
      title: thrown.kind === 'user' ? refused : 'Service or network error',
      remedy: thrown.remedy,
    };
  }
  return {
    title: 'Defect in compliance-action',
    remedy: defectRemedy,
  };
}

export function runnerErrorTitle({ isFull }: RunnerFileError): string {
  return isFull ? "The runner's disk is full" : 'Runner error';
}

function describeFailure(thrown: unknown): string {
  if (thrown instanceof UserError && thrown.problems.length > 1) {
    const listed = thrown.problems.slice(0, maximumListed).map(({ what, remedy }) => `${what}. ${remedy}`);
    const left = thrown.problems.length - listed.length;
    return [...listed, ...(left === 0 ? [] : [`And ${left} more.`])].join('\n');
  }
  return describeError(thrown);
}
