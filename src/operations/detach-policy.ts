import { detachPolicy as endpoint } from '../contract/policy.ts';
import { environment, policies } from './inputs/environment-inputs.ts';
import { required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { createPolicyChangeResult } from './policy-change-result.ts';

/** Operation 5: detaches policies from an environment. */
export const detachPolicy = defineOperation({
  name: 'detach-policy',
  endpoint,
  gate: 'ignore',
  inputs: { environment: required(environment), policies: required(policies) },
  async run(inputs, { client, org }) {
    const names = [...new Set(inputs.policies)];
    const answer = await client.call(endpoint, {
      parameters: { org, env_name: inputs.environment },
      document: { policy_names: names },
    });
    return createPolicyChangeResult({
      state: 'detached',
      environment: inputs.environment,
      names,
      org,
      response: answer.body,
    });
  },
});
