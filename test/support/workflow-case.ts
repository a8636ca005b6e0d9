import type { LoginRuleReader } from './documented-login-rule.ts';
import type { Result } from './workflow-engine.ts';
import type { CaseContext } from './workflow-preparations.ts';
import type { TriggeringEvent } from './workflow-trigger.ts';

/** A workflow run on one event, and its expected end. */
export interface WorkflowCase {
  readonly title: string;
  readonly run: TriggeringEvent;
  /** The status of the quality gate of a scan. */
  readonly gate?: 'OK' | 'ERROR';
  readonly secrets?: 'none';
  /** Changes of the login rules of the guide, which the page with the workflow names: other flows, and an event to add. */
  readonly rule?: Pick<LoginRuleReader, 'flows' | 'event'>;
  readonly prepare?: (context: CaseContext) => Promise<unknown>;
  readonly pods?: unknown;
  /** For a part of a workflow: a script that does what the steps before it would do. */
  readonly before?: string;
  /** The result of each job; the worst one of a matrix. */
  readonly jobs: Readonly<Record<string, Result>>;
  /** The outcomes of the steps of this action that ran, in order. */
  readonly outcomes: readonly string[];
  /** The steps that were skipped by their conditions. */
  readonly skipped?: readonly string[];
  /** The final commit statuses of the head, by context. */
  readonly statuses?: Readonly<Record<string, string>>;
}

/** How a workflow ends. */
export type Ends = Pick<WorkflowCase, 'jobs' | 'outcomes' | 'skipped' | 'statuses'>;

/** The cases of a workflow that must pass with good evidence and fail with bad evidence. */
export function openAndClosed(
  run: TriggeringEvent,
  {
    open,
    closed,
    ...same
  }: Pick<WorkflowCase, 'prepare' | 'before' | 'rule'> & { readonly open: Ends; readonly closed: Ends },
): readonly WorkflowCase[] {
  return [
    { title: `passes on ${run.eventName} with good evidence`, run, gate: 'OK', ...same, ...open },
    { title: `fails on ${run.eventName} with bad evidence`, run, gate: 'ERROR', ...same, ...closed },
  ];
}

/** The ends of a workflow with one job and one gate step. */
export const oneGate = (job: string): { readonly open: Ends; readonly closed: Ends } => ({
  open: { jobs: { [job]: 'success' }, outcomes: ['compliant'] },
  closed: { jobs: { [job]: 'failure' }, outcomes: ['non-compliant'] },
});

/** The end of a workflow with one job and one step without a verdict. */
export const done = (job: string): Ends => ({
  jobs: { [job]: 'success' },
  outcomes: ['done'],
});

/** The end of a workflow with one job that is skipped by its condition. */
export const notRun = (job: string): Ends => ({ jobs: { [job]: 'skipped' }, outcomes: [] });
