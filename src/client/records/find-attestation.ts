import { listAttestations, type AttestationPage, type ListedAttestation } from '../../contract/attestation-list.ts';
import { idempotencyDataKey } from '../../contract/idempotency.ts';
import { ExternalError } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import type { EndpointCaller } from '../endpoint-call.ts';
import type { SentWrite } from './sent-write.ts';

/** How far the clock of the runner may be ahead of the service's, in milliseconds. */
const clockDifference = 3_600_000;

/** How many attestations are fetched at once. A service may return fewer. */
const pageSize = 100;

/** More pages than this are not read, in case the service ignores the time span. */
const maximumPages = 100;

/**
 * Looks for an attestation by its idempotency key, in the list of its flow since it was sent. Reads in a direction that
 * misses nothing if attestations are recorded meanwhile, whatever the sort order of the service.
 */
export async function findAttestation(
  { key, parameters, since }: SentWrite,
  client: EndpointCaller,
): Promise<ListedAttestation | undefined> {
  const from = Math.max(0, Math.floor((since - clockDifference) / 1000));
  for (let page = 1; page <= maximumPages; page += 1) {
    const { data, pagination } = await fetchPage(client, parameters, { page, from });
    const found = data.find(({ user_data: given }) => textAt(given, idempotencyDataKey) === key);
    if (found !== undefined) return found;
    if (page >= pagination.page_count) return undefined;
    if (pagination.page !== page || data.length === 0) break;
  }
  throw new ExternalError({
    what: 'list-attestations: the list could not be read to its end',
    remedy: 'Look for the attestation on the page of its trail.',
  });
}

async function fetchPage(
  client: EndpointCaller,
  parameters: SentWrite['parameters'],
  { page, from }: { readonly page: number; readonly from: number },
): Promise<AttestationPage> {
  const { body } = await client.call(listAttestations, {
    parameters: { org: textAt(parameters, 'org') ?? '', flow_name: textAt(parameters, 'flow_name') ?? '' },
    query: { page, per_page: pageSize, from_timestamp: from },
  });
  return body;
}
