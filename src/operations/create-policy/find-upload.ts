import { isNotFound, isPassing } from '../../client/failure-kinds.ts';
import { getPolicy, type Policy, type PolicyPayload } from '../../contract/policy.ts';
import { backoff } from '../../http/retry.ts';
import { sleep } from '../../runtime/clock.ts';
import { Failure } from '../../runtime/failure.ts';
import type { OperationContext } from '../operation.ts';

/** An uploaded version of a policy. */
export interface PolicyUpload {
  readonly document: PolicyPayload;
  /** The policy file. */
  readonly text: string;
}

/**
 * Checks whether the service recorded an upload that got no clear answer. Repeats as often as `retries` says, because
 * the service may still be processing it.
 *
 * @returns the policy if its latest version is the upload; undefined if not, or if that cannot be found out
 */
export async function findUpload(
  upload: PolicyUpload,
  { client, org, call }: Pick<OperationContext, 'client' | 'org' | 'call'>,
): Promise<Policy | undefined> {
  const { clock, random, log, signal, retryPolicy } = call;
  log.info('create-policy: the upload got no clear answer; checking whether it was recorded');
  for (let look = 1; ; look += 1) {
    try {
      const { body } = await client.call(getPolicy, { parameters: { org, policy_name: upload.document.name } });
      if (isUpload(body, upload)) return body;
    } catch (error) {
      if (!(error instanceof Failure) || signal?.aborted === true) throw error;
      if (!isNotFound(error) && !isPassing(error)) {
        log.info(`create-policy: could not check whether the policy was recorded: ${error.message}`);
        return undefined;
      }
    }
    if (look > retryPolicy.retries) return undefined;
    await sleep(clock, backoff(look, random()), signal);
  }
}

/** Whether the latest version is the upload: same text, and same comment and description if they were sent. */
function isUpload(policy: Policy, { document, text }: PolicyUpload): boolean {
  const latest = policy.versions?.toSorted((one, other) => other.version - one.version)[0];
  return (
    latest?.policy_yaml === text &&
    (document.comment === undefined || document.comment === latest.comment) &&
    (document.description === undefined || document.description === policy.description)
  );
}
