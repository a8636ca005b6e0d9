import * as endpoints from '../contract/policy.ts';
import { environment, policies } from './inputs/environment-inputs.ts';
import { required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { fact } from './report.ts';

/** Operation 4: attaches policies to an environment. */
export const attachPolicy = defineChange(endpoints.attachPolicy, ['attached', 'Attached', 'to']);

/** Operation 5: detaches policies from an environment. */
export const detachPolicy = defineChange(endpoints.detachPolicy, ['detached', 'Detached', 'from']);

/**
 * The service changes all policies or none, so all are named. It does not say whether they were attached before, so the
 * words are true in both cases.
 */
function defineChange(
  endpoint: typeof endpoints.attachPolicy | typeof endpoints.detachPolicy,
  [state, title, to]: readonly [state: string, title: string, to: string],
) {
  return defineOperation({
    name: endpoint.operation,
    endpoint,
    gate: 'ignore',
    inputs: { environment: required(environment), policies: required(policies) },
    async run(inputs, { client, org }) {
      const names = [...new Set(inputs.policies)];
      const answer = await client.call(endpoint, {
        parameters: { org, env_name: inputs.environment },
        document: { policy_names: names },
      });
      const list = names.join(', ');
      const subject = names.length === 1 ? `Policy ${list} is` : `Policies ${list} are`;
      return {
        outcome: 'done',
        state,
        conclusion: `${subject} ${state} ${to} environment ${inputs.environment} in organization ${org}.`,
        response: answer.body,
        report: {
          subject: `Policies of environment ${inputs.environment}`,
          facts: [...fact('Organization', org), ...fact('Environment', inputs.environment), ...fact(title, list)],
        },
      };
    },
  });
}
