import type { OperationResult } from './operation.ts';
import { fact } from './report.ts';

/** Policies that a step attached to an environment or detached from it. */
export interface PolicyChange {
  readonly state: 'attached' | 'detached';
  readonly environment: string;
  readonly names: readonly string[];
  readonly org: string;
  readonly response: unknown;
}

/**
 * The result of attaching or detaching. The service changes all policies or none, so all are named. It does not say
 * whether they were attached before, so the words are true in both cases.
 */
export function createPolicyChangeResult({ state, environment, names, org, response }: PolicyChange): OperationResult {
  const list = names.join(', ');
  const subject = names.length === 1 ? `Policy ${list} is` : `Policies ${list} are`;
  return {
    outcome: 'done',
    state,
    conclusion: `${subject} ${state} ${state === 'attached' ? 'to' : 'from'} environment ${environment} in organization ${org}.`,
    response,
    report: {
      subject: `Policies of environment ${environment}`,
      facts: [
        ...fact('Organization', org),
        ...fact('Environment', environment),
        ...fact(state === 'attached' ? 'Attached' : 'Detached', list),
      ],
      tables: [],
    },
  };
}
