import type { OperationResult } from './operation.ts';
import { fact } from './report.ts';

/** Policies that were attached to or detached from an environment. */
export interface PolicyChange {
  readonly action: 'attached to' | 'detached from';
  readonly environment: string;
  readonly names: readonly string[];
  readonly org: string;
  readonly response: unknown;
}

/** The result if an attempt to detach got no clear answer, and the next found nothing to detach. */
export function createAlreadyDetachedResult({
  environment,
  names,
  org,
  message,
}: Pick<PolicyChange, 'environment' | 'names' | 'org'> & { readonly message: string }): OperationResult {
  const list = names.join(', ');
  const subject = names.length === 1 ? `Policy ${list} is` : `Policies ${list} are`;
  return {
    outcome: 'done',
    conclusion: `${subject} not attached to environment ${environment} in organization ${org}: an attempt to detach got no clear answer, and the next one returned "${message}".`,
    response: { message },
    report: createReport({ environment, org }, 'Not attached', list),
  };
}

/** The result of attaching or detaching. The service changes all policies or none, so all are named. */
export function createPolicyChangeResult({ action, environment, names, org, response }: PolicyChange): OperationResult {
  const list = names.join(', ');
  const subject = names.length === 1 ? `Policy ${list} was` : `Policies ${list} were`;
  return {
    outcome: 'done',
    state: action === 'attached to' ? 'attached' : 'detached',
    conclusion: `${subject} ${action} environment ${environment} in organization ${org}; the service judges the environment again.`,
    response,
    report: createReport({ environment, org }, action === 'attached to' ? 'Attached' : 'Detached', list),
  };
}

function createReport(
  { environment, org }: Pick<PolicyChange, 'environment' | 'org'>,
  label: string,
  list: string,
): OperationResult['report'] {
  return {
    subject: `Policies of environment ${environment}`,
    facts: [...fact('Organization', org), ...fact('Environment', environment), ...fact(label, list)],
    tables: [],
  };
}
