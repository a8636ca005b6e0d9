import {
  findArtifactAttestations,
  findTrailAttestations,
  type FoundAttestation,
} from '../../contract/attestation-lookup.ts';
import { idempotencyDataKey } from '../../contract/idempotency.ts';
import { Failure } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import type { OperationContext } from '../operation.ts';

/** How long the service may take, in milliseconds. The evidence is on record already. */
const recordTimeout = 10_000;

interface SentAttestation {
  readonly flow: string;
  readonly trail: string;
  readonly attestationName: string;
  /** Undefined if it is not about one artifact. */
  readonly fingerprint: string | undefined;
  /** Its idempotency key. */
  readonly key: string;
}

/**
 * Reads back what the service has recorded with an idempotency key. It is asked once, for the few latest attestations
 * of the name: of the artifact, because a trail may have many artifacts, else of the trail. A failure is only logged.
 *
 * @returns undefined if the record could not be read, or none says that it is this one
 */
export async function readRecord(
  { flow, trail, attestationName, fingerprint, key }: SentAttestation,
  { client, org, call: { clock, log, signal } }: OperationContext,
): Promise<FoundAttestation | undefined> {
  try {
    const caller = client.until(clock.now(), recordTimeout);
    const named = { org, flow_name: flow, attestation_name: attestationName };
    const { body } =
      fingerprint === undefined
        ? await caller.call(findTrailAttestations, { parameters: { ...named, trail_name: trail } })
        : await caller.call(findArtifactAttestations, { parameters: { ...named, fingerprint } });
    const own = body.find(({ user_data: data }) => textAt(data, idempotencyDataKey) === key);
    log.info(own === undefined ? notRead('the service does not show it') : `On record: ${own.html_url ?? ''}`);
    return own;
  } catch (thrown) {
    if (signal?.aborted === true || !(thrown instanceof Failure)) throw thrown;
    log.info(notRead(thrown.message));
    return undefined;
  }
}

function notRead(why: string): string {
  return `The record could not be read back, so this step goes by what it knows: ${why}`;
}
