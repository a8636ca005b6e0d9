import { textAt } from '../../src/runtime/untrusted-data.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { commandsNamed } from './workflow-command.ts';

/** How a failed step shows itself to people and to later steps. */
export interface FailedStep {
  readonly exitCode: number | null;
  readonly outcome: string | undefined;
  readonly compliant: string | undefined;
  /** `mistake`, `trouble`, `runner` or `defect`, in the file of the answer. */
  readonly kind: string | undefined;
  /** Of the one error annotation. */
  readonly title: string | undefined;
  readonly message: string;
  /** Whether the summary says that it is an error. */
  readonly inSummary: boolean;
}

/**
 * What a step that could not judge anything left behind.
 *
 * @throws where it has no error annotation, or several
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

/** What every step that could not judge anything has in common. */
export const errorEnding = { exitCode: 1, outcome: 'error', compliant: '', inSummary: true } as const;
