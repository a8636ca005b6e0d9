import type { attachPolicy, detachPolicy } from '../contract/policy.ts';
import { environment, policies } from './inputs/environment-inputs.ts';
import { required } from './inputs/input.ts';
import type { OperationContext, OperationResult } from './operation.ts';
import { fact } from './report.ts';

/** The inputs of attaching and of detaching. */
export const policyChangeInputs = { environment: required(environment), policies: required(policies) };

/**
 * Attaches policies to an environment, or detaches them. The service changes all of them or none, so all are named. It
 * does not say whether they were attached before, so the words are true in both cases.
 */
export async function changePolicies(
  endpoint: typeof attachPolicy | typeof detachPolicy,
  inputs: { readonly environment: string; readonly policies: readonly string[] },
  { client, org }: Pick<OperationContext, 'client' | 'org'>,
): Promise<OperationResult> {
  const names = [...new Set(inputs.policies)];
  const answer = await client.call(endpoint, {
    parameters: { org, env_name: inputs.environment },
    document: { policy_names: names },
  });
  const list = names.join(', ');
  const subject = names.length === 1 ? `Policy ${list} is` : `Policies ${list} are`;
  const [state, title, to] =
    endpoint.operation === 'attach-policy' ? ['attached', 'Attached', 'to'] : ['detached', 'Detached', 'from'];
  return {
    outcome: 'done',
    state,
    conclusion: `${subject} ${state} ${to} environment ${inputs.environment} in organization ${org}.`,
    response: answer.body,
    report: {
      subject: `Policies of environment ${inputs.environment}`,
      facts: [...fact('Organization', org), ...fact('Environment', inputs.environment), ...fact(title, list)],
      tables: [],
    },
  };
}
