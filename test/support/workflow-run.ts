import { isMapping, listAt, textAt, valueAt, type Mapping } from '../../src/runtime/values.ts';
import type { StepResult } from '../../tools/run-action.ts';
import { resolved } from './expressions.ts';

/** A job of a workflow, and what its expressions can name. */
export interface JobRun {
  readonly workflow: unknown;
  /** The job's key. */
  readonly job: string;
  /** `github`, `vars`, `secrets`, `inputs`, `matrix`, `needs`: what GitHub would give the job. */
  readonly contexts: Mapping;
}

/** Runs the action with these inputs, and with the variables that the workflow sets. */
export type ActionStep = (
  inputs: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
) => Promise<StepResult>;

/**
 * Runs the steps of a job that use this action, one after the other, until one fails. Other steps are not run (the test lays
 * out what they would leave), and the conditions under `if:` are taken for true.
 */
export async function runActionSteps(run: JobRun, step: ActionStep): Promise<readonly StepResult[]> {
  const job = valueAt(run.workflow, 'jobs', run.job);
  if (!isMapping(job)) throw new Error(`the workflow has no job ${run.job}`);
  const outputs: Record<string, Mapping> = {};
  const results: StepResult[] = [];
  for (const described of listAt(job, 'steps')) {
    if (textAt(described, 'uses')?.startsWith('OWNER/compliance-action@') !== true) continue;
    const contexts = { ...run.contexts, steps: outputs };
    const result = await step(resolvedAt(described, 'with', contexts), {
      ...resolvedAt(run.workflow, 'env', contexts),
      ...resolvedAt(job, 'env', contexts),
      ...resolvedAt(described, 'env', contexts),
    });
    results.push(result);
    outputs[textAt(described, 'id') ?? ''] = { outputs: result.outputs };
    if (result.exitCode !== 0 && valueAt(described, 'continue-on-error') !== true) break;
  }
  return results;
}

function resolvedAt(holder: unknown, key: string, contexts: Mapping): Record<string, string> {
  const given = valueAt(holder, key);
  if (!isMapping(given)) return {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, resolved(String(value), contexts)] as const),
  );
}
