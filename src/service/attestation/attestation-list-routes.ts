import { type AttestationPage, listAttestations, type ListedAttestation } from '../../contract/attestation-list.ts';
import type { EndpointQuery } from '../../contract/endpoint.ts';
import { maximumPageBytes } from '../../contract/limits.ts';
import type { Pagination } from '../../contract/paging.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { listEvidenceReasons } from '../artifact/artifact-state.ts';
import type { Links } from '../platform/links.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { largeResponse } from '../platform/server/bodies/admission.ts';
import { flowMissing, validationError } from '../platform/server/errors/api-error.ts';
import { SerializedJson } from '../platform/server/json-response.ts';
import { toListPart, toPagination } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { Attestation } from './attestation.ts';
import * as attestationList from './attestation-lookup-use-cases.ts';
import { evidenceName, listTargetArtifacts } from './evidence-scope.ts';
import { toReasonResponses } from './reason-response.ts';

export function addAttestationListRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { links } = dependencies;

  addRoute(host, listAttestations, requireRole(dependencies, 'read'), async ({ parameters, query }) => {
    const { org, flow_name: flow } = parameters;
    const { from_timestamp: from, to_timestamp: to } = query;
    const part = toListPart(query);
    const list = async (maximumBytes: number): Promise<attestationList.AttestationListing> => {
      const wanted = { org, flow, from, to, part, maximumBytes };
      const listed = await attestationList.listAttestations(dependencies, wanted);
      if (listed === undefined) throw flowMissing(org, flow);
      if (listed.bytes <= maximumPageBytes) return listed;
      const rule = `selects more than ${maximumPageBytes} bytes of attestations; request smaller pages`;
      throw validationError(['query.per_page', rule]);
    };
    const toPage = ({ total, attestations = [] }: attestationList.AttestationListing): AttestationPage => {
      const pagination = toPagination(part, total);
      return {
        data: attestations.map((attestation) => toAttestationResponse(attestation, links)),
        _links: pageLinks(query, pagination, (words) => links.attestationList(org, flow, words)),
        pagination,
      };
    };
    const small = await list(largeResponse);
    if (small.attestations !== undefined) return { status: 200, body: toPage(small) };
    // One large page at a time, to limit the memory, and each in a turn of the event loop of its own.
    const body = await host.admission.handle(small.bytes, async (pause) => {
      await pause();
      return SerializedJson.from(toPage(await list(maximumPageBytes)));
    });
    return { status: 200, body };
  });
}

export function toAttestationResponse(attestation: Attestation, links: Links): ListedAttestation {
  const { org, flow, trail, id, name, type, verdict, createdAt, reportedBy, document } = attestation;
  const { origin_url, proven, override } = document;
  return {
    attestation_id: id,
    attestation_name: name,
    attestation_type: type,
    trail_name: trail,
    artifact_fingerprint: document.artifact_fingerprint ?? null,
    target_artifacts: document.target_artifacts ?? [],
    created_at: createdAt,
    sequence: attestation.sequence,
    description: document.description ?? '',
    has_audit_package: true,
    html_url: links.pages.attestation(org, flow, trail, id),
    is_compliant: verdict === 'compliant',
    reasons: toReasonResponses(listEvidenceReasons(attestation, toLabel(attestation)), org, links),
    reported_by: reportedBy,
    schema_version: schemaVersion,
    user_data: document.user_data ?? {},
    ...omitUndefined({ origin_url, proven, override }),
  };
}

/** As a template names it: `web.unit` for the attestation `unit` of the artifact `web`. */
function toLabel({ name, document }: Attestation): string {
  const [target, ...others] = listTargetArtifacts(document);
  return target === undefined || others.length > 0 ? name : `${target}.${evidenceName(name)}`;
}

/** The schema version of recorded attestations. There has been only one. */
const schemaVersion = 1;

/** Links to this and other pages; the first page has no `prev`, the last has no `next`. */
function pageLinks(
  { from_timestamp, to_timestamp }: EndpointQuery<typeof listAttestations>,
  { page, per_page, page_count }: Pagination,
  link: (query: Readonly<Record<string, number>>) => string,
): Record<string, string> {
  const span = omitUndefined({ from_timestamp, to_timestamp });
  const at = (number: number): string => link({ page: number, per_page, ...span });
  const last = Math.max(1, page_count);
  return {
    self: at(page),
    first: at(1),
    ...(page > 1 ? { prev: at(Math.min(page - 1, last)) } : {}),
    ...(page < last ? { next: at(page + 1) } : {}),
    last: at(last),
  };
}
