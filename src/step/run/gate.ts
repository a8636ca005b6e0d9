import { ServiceError } from '../../client/service-error.ts';
import type { OperationResult } from '../../operations/operation.ts';
import { describeError, Failure, UserError } from '../../runtime/failure.ts';
import { Cancellation } from './cancellation.ts';
import { RunnerFileError } from '../../runtime/runner-file.ts';

/** How a step ended, as later steps read it. */
type Outcome = 'compliant' | 'non-compliant' | 'incomplete' | 'done' | 'skipped' | 'error';

/** How loud an annotation is. */
export type AnnotationLevel = 'error' | 'warning' | 'notice';

/** What a verdict that is not compliant does to the step. */
export type OnNonCompliant = 'fail' | 'warn' | 'ignore';

/** What the step says at its end, and whether it fails. */
export interface Decision {
  readonly outcome: Outcome;
  readonly fails: boolean;
  /** The verdict in a word or two, with its sign. */
  readonly verdict: string;
  /** One sentence; several lines where several things are wrong. */
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
  error: '⛔ Error',
};

// The outcomes at which a gate does not open. A dry run judged nothing, so it must not pass for a verdict either.
const closed: Readonly<Partial<Record<Outcome, string>>> = {
  'non-compliant': 'Non-compliant',
  incomplete: 'Incomplete',
  skipped: 'Nothing was judged',
};

/** Decides what a result does to the step. */
export function decideResult(result: OperationResult, onNonCompliant: OnNonCompliant): Decision {
  if (result.failure !== undefined) return decidePartialFailure(result.failure, result.conclusion);
  const { outcome, conclusion } = result;
  const decision = { outcome, fails: false, verdict: verdicts[outcome], conclusion };
  const reason = closed[outcome];
  if (reason === undefined || onNonCompliant === 'ignore') return decision;
  const fails = onNonCompliant === 'fail';
  return {
    ...decision,
    fails,
    annotation: { level: fails ? 'error' : 'warning', title: `${reason}: ${result.report.subject}` },
  };
}

/** A failure with what is known beside it. The failure's own words are what its remedy is about, so they always stand there. */
function decidePartialFailure(failure: Failure, known: string): Decision {
  const decision = decideFailure(failure);
  const words = decision.conclusion;
  return { ...decision, conclusion: known.includes(words) ? known : `${known}\n${words}` };
}

/** Decides what a failure does to the step: it always fails, whatever `on-non-compliant` says, because nothing was judged. */
export function decideFailure(thrown: unknown): Decision {
  const { title, ...advice } = kindOfFailure(thrown);
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

function kindOfFailure(thrown: unknown): { title: string; remedy?: string } {
  if (thrown instanceof UserError) {
    const count = thrown.problems.length;
    // Several problems carry their remedies with them.
    return count === 1 ? { title: mistake, remedy: thrown.remedy } : { title: `${count} mistakes in the workflow` };
  }
  // Waiting that is called off says what it waited for, around the cancellation.
  if (thrown instanceof Cancellation || (thrown instanceof Failure && thrown.cause instanceof Cancellation)) {
    return { title: 'Cancelled', remedy: thrown.remedy };
  }
  if (thrown instanceof RunnerFileError) return { title: titleOfRunnerError(thrown), remedy: thrown.remedy };
  if (thrown instanceof Failure) {
    // A redirect is no refusal: it leads to a page for signing in, or to another address than `base-url`.
    const refused =
      thrown instanceof ServiceError && thrown.facts.status >= 400 ? 'Refused by the compliance service' : mistake;
    return {
      title: thrown.kind === 'user' ? refused : 'Trouble with a service or the way to it',
      remedy: thrown.remedy,
    };
  }
  return {
    title: 'Defect in compliance-action',
    remedy: 'Report this with the log of a run that has step debugging switched on.',
  };
}

/** The title of what the runner is to blame for. */
export function titleOfRunnerError({ isFull }: RunnerFileError): string {
  return isFull ? "The runner's disk is full" : 'Trouble with the runner';
}

function describeFailure(thrown: unknown): string {
  if (thrown instanceof UserError && thrown.problems.length > 1) {
    return thrown.problems.map(({ what, remedy }) => `${what}. ${remedy}`).join('\n');
  }
  return describeError(thrown);
}
