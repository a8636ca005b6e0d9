import { isNotFound } from '../client/failure-kinds.ts';
import { isDoneAlready } from '../client/unconfirmed-call.ts';
import type { ServiceError } from '../client/service-error.ts';
import { detachPolicy as endpoint } from '../contract/policy.ts';
import { listSnapshots } from '../contract/snapshot.ts';
import { Failure } from '../runtime/failure.ts';
import { environment, policies } from './inputs/environment-inputs.ts';
import { required } from './inputs/input.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { createAlreadyDetachedResult, createPolicyChangeResult } from './policy-change-result.ts';

/** Operation 5: detaches policies from an environment. */
export const detachPolicy = defineOperation({
  name: 'detach-policy',
  endpoint,
  gate: 'ignore',
  inputs: { environment: required(environment), policies: required(policies) },
  async run(inputs, context) {
    const { client, org } = context;
    const names = [...new Set(inputs.policies)];
    const change = { environment: inputs.environment, names, org };
    try {
      const answer = await client.call(endpoint, {
        parameters: { org, env_name: inputs.environment },
        document: { policy_names: names },
      });
      return createPolicyChangeResult({ ...change, action: 'detached from', response: answer.body });
    } catch (error) {
      if (!isDoneAlready(endpoint, error)) throw error;
      await requireEnvironment(error, inputs.environment, context);
      if (names.length > 1) await detachEach(names, inputs.environment, context);
      return createAlreadyDetachedResult({ ...change, message: error.facts.serviceMessage ?? '' });
    }
  },
});

/**
 * Checks that the environment exists. The service gives the same answer for a missing environment as for a policy
 * that is not attached, and only the latter can be the effect of an earlier attempt.
 *
 * @throws the service's answer to detaching, if the environment does not exist
 */
async function requireEnvironment(refusal: ServiceError, name: string, context: OperationContext): Promise<void> {
  const { client, org } = context;
  try {
    await client.call(listSnapshots, { parameters: { org, env_name: name }, query: { page: 1, per_page: 1 } });
  } catch (error) {
    if (error instanceof Failure && isNotFound(error)) throw refusal;
    // Any other failure says nothing about the policies.
    if (!(error instanceof Failure) || context.call.signal?.aborted === true) throw error;
  }
}

/**
 * Detaches one policy at a time. The service changes all policies or none, so if the first attempt was not carried out,
 * a single policy that is not attached has kept all others attached.
 */
async function detachEach(names: readonly string[], environmentName: string, context: OperationContext): Promise<void> {
  const { client, org } = context;
  for (const name of names) {
    try {
      await client.call(endpoint, {
        parameters: { org, env_name: environmentName },
        document: { policy_names: [name] },
      });
    } catch (error) {
      if (!(error instanceof Failure) || !isNotFound(error)) throw error;
    }
  }
}
