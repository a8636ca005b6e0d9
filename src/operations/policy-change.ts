import type { OperationResult } from './operation.ts';
import { fact } from './report.ts';

/** Policies that were attached to an environment or detached from it. */
export interface PolicyChange {
  readonly action: 'attached to' | 'detached from';
  readonly environment: string;
  readonly names: readonly string[];
  readonly org: string;
  readonly response: unknown;
}

/** What came of attaching or detaching. The service does all or nothing, so every policy is named. */
export function policyChange({ action, environment, names, org, response }: PolicyChange): OperationResult {
  const list = names.join(', ');
  const subject = names.length === 1 ? `Policy ${list} was` : `Policies ${list} were`;
  return {
    outcome: 'done',
    state: action === 'attached to' ? 'attached' : 'detached',
    conclusion: `${subject} ${action} environment ${environment} in organization ${org}; the service judges it anew.`,
    response,
    report: {
      subject: `Policies of environment ${environment}`,
      facts: [
        ...fact('Organization', org),
        ...fact('Environment', environment),
        ...fact(action === 'attached to' ? 'Attached' : 'Detached', list),
      ],
      tables: [],
    },
  };
}
