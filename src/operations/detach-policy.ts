import { isNotFound } from '../client/failure-kinds.ts';
import { isDoneAlready } from '../client/repetition.ts';
import type { ServiceError } from '../client/service-error.ts';
import { detachPolicy as endpoint } from '../contract/policy.ts';
import { listSnapshots } from '../contract/snapshot.ts';
import { Failure } from '../runtime/failure.ts';
import { environment, policies } from './inputs/environment-inputs.ts';
import { required } from './inputs/input.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { createAlreadyDetachedResult, createPolicyChangeResult } from './policy-change.ts';

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
      await demandEnvironment(error, inputs.environment, context);
      if (names.length > 1) await detachEach(names, inputs.environment, context);
      return createAlreadyDetachedResult({ ...change, message: error.facts.serviceMessage ?? '' });
    }
  },
});

/**
 * The service says the same of a missing environment as of a policy that is not attached, and only the latter can be what an
 * earlier attempt left behind.
 *
 * @throws the service's answer to detaching, if there is no such environment
 */
async function demandEnvironment(refusal: ServiceError, name: string, context: OperationContext): Promise<void> {
  const { client, org } = context;
  try {
    await client.call(listSnapshots, { parameters: { org, env_name: name }, query: { page: 1, per_page: 1 } });
  } catch (error) {
    if (error instanceof Failure && isNotFound(error)) throw refusal;
    // Nothing else that can go wrong here says anything about the policies.
    if (!(error instanceof Failure) || context.call.signal?.aborted === true) throw error;
  }
}

/**
 * Detaches one policy at a time. The service changes all or nothing, so one policy that is not attached kept the others
 * attached if the first attempt had not been carried out.
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
