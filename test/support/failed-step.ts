import { textAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { commandsNamed } from './workflow-command.ts';

/** What people and later steps see of a failed step. */
interface FailedStep {
  readonly exitCode: number | null;
  readonly outcome: string | undefined;
  readonly compliant: string | undefined;
  /** `user`, `external`, `runner` or `defect`, from the response file. */
  readonly kind: string | undefined;
  /** Of the only error annotation. */
  readonly title: string | undefined;
  readonly message: string;
  /** Whether the summary shows an error. */
  readonly inSummary: boolean;
}

/**
 * Reads the results of a step that ended with an error.
 *
 * @throws Error unless it has exactly one error annotation
 */
export function failedStep(result: ActionRun): FailedStep {
  const [annotation, ...others] = commandsNamed(result.log, 'error');
  if (annotation === undefined || others.length > 0) throw new Error(`not exactly one error: ${result.log}`);
  return {
    exitCode: result.exitCode,
    outcome: result.outputs['outcome'],
    compliant: result.outputs['compliant'],
    kind: textAt(result.response, 'error', 'kind'),
    title: annotation.properties['title'],
    message: annotation.message,
    inSummary: result.summary.startsWith('<h2>⛔ Error'),
  };
}

/** What all steps that end with an error have in common. */
export const errorEnding = { exitCode: 1, outcome: 'error', compliant: '', inSummary: true } as const;
