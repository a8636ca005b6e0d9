import { attachPolicy as endpoint } from '../contract/policy.ts';
import { defineOperation } from './operation.ts';
import { changePolicies, policyChangeInputs } from './policy-change.ts';

/** Operation 4: attaches policies to an environment. */
export const attachPolicy = defineOperation({
  name: 'attach-policy',
  endpoint,
  gate: 'ignore',
  inputs: policyChangeInputs,
  run: (inputs, context) => changePolicies(endpoint, inputs, context),
});
