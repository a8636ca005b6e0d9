import { type Artifact, getArtifact } from '../contract/artifact.ts';
import { type AttestationPage, listAttestations, type ListedAttestation } from '../contract/attestation-list.ts';
import type { RecordPlace } from '../contract/endpoint.ts';
import { idempotencyDataKey } from '../contract/idempotency.ts';
import { getPolicy, type Policy } from '../contract/policy.ts';
import { decodeText } from '../runtime/decode-text.ts';
import { ExternalError } from '../runtime/failure.ts';
import { textAt } from '../runtime/untrusted-data.ts';
import type { EndpointCaller } from './endpoint-call.ts';
import type { FilePart } from './request-body.ts';

/** A request that may have been recorded. */
export interface SentWrite {
  readonly key: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly document: unknown;
  readonly file: FilePart | undefined;
  /** When it was sent first, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Looks once for the record of a request.
 *
 * @returns the record, in the form of the endpoint's answer; undefined if the service does not have the record
 * @throws Failure if the look-up fails
 */
export function findRecord(place: RecordPlace, sent: SentWrite, client: EndpointCaller): Promise<unknown> {
  switch (place) {
    case 'artifact':
      return findArtifact(sent, client);
    case 'attestation list':
      return findAttestation(sent, client);
    case 'policy versions':
      return findPolicy(sent, client);
  }
}

/**
 * Looks for the report of an artifact in the latest report of the artifact to its trail, by its idempotency key.
 *
 * @throws ExternalError if the latest report has no key: the service may not show what was sent
 */
async function findArtifact(
  { key, parameters, document }: SentWrite,
  client: EndpointCaller,
): Promise<Artifact | undefined> {
  const trail = textAt(document, 'trail_name');
  const { body } = await client.call(getArtifact, {
    parameters: {
      org: textAt(parameters, 'org') ?? '',
      flow_name: textAt(parameters, 'flow_name') ?? '',
      fingerprint: textAt(document, 'fingerprint') ?? '',
    },
    query: trail === undefined ? {} : { trail },
  });
  const recorded = textAt(body, 'user_data', idempotencyDataKey);
  if (recorded === key) return body;
  if (recorded !== undefined) return undefined;
  throw new ExternalError({
    what: 'get-artifact: the artifact has a report that does not say which request it came from',
    remedy: 'Look for the report on the page of its trail.',
  });
}

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
async function findAttestation(
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

/** Looks for an upload of a policy: it is recorded if the latest version has its text, comment and description. */
async function findPolicy(
  { parameters, document, file }: SentWrite,
  client: EndpointCaller,
): Promise<Policy | undefined> {
  const { body } = await client.call(getPolicy, {
    parameters: { org: textAt(parameters, 'org') ?? '', policy_name: textAt(document, 'name') ?? '' },
  });
  return file !== undefined && isUpload(body, document, await readText(file)) ? body : undefined;
}

/** The text of a policy file, without a byte order mark. */
async function readText(file: FilePart): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  // A chunk is valid only until the next one.
  for await (const chunk of file.open()) chunks.push(Uint8Array.from(chunk));
  return decodeText(Buffer.concat(chunks));
}

/** Whether the latest version is the upload: same text, and same comment and description if they were sent. */
function isUpload(policy: Policy, document: unknown, text: string | undefined): boolean {
  const latest = policy.versions.toSorted((one, other) => other.version - one.version)[0];
  const comment = textAt(document, 'comment');
  const description = textAt(document, 'description');
  return (
    text !== undefined &&
    latest?.policy_yaml === text &&
    (comment === undefined || comment === latest.comment) &&
    (description === undefined || description === policy.description)
  );
}
