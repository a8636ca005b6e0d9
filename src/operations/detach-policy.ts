import { detachPolicy as endpoint } from '../contract/policy.ts';
import { defineOperation } from './operation.ts';
import { changePolicies, policyChangeInputs } from './policy-change.ts';

/** Operation 5: detaches policies from an environment. */
export const detachPolicy = defineOperation({
  name: 'detach-policy',
  endpoint,
  gate: 'ignore',
  inputs: policyChangeInputs,
  run: (inputs, context) => changePolicies(endpoint, inputs, context),
});
