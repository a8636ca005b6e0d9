import { type AttestationPage, listAttestations, type ListedAttestation } from '../../contract/attestation-list.ts';
import type { EndpointQuery } from '../../contract/endpoint.ts';
import { maximumDocumentBytes, maximumPageBytes } from '../../contract/limits.ts';
import type { Pagination } from '../../contract/paging.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { listEvidenceReasons } from '../artifact/artifact-state.ts';
import type { Links } from '../platform/links.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { flowMissing, validationError } from '../platform/server/errors/api-error.ts';
import { SerializedJson } from '../platform/server/json-response.ts';
import { toListPart, toPagination } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { NumberRange } from '../platform/time-series.ts';
import type { Attestation } from './attestation.ts';
import * as attestationList from './attestation-lookup-use-cases.ts';
import { evidenceName, listTargetArtifacts } from './evidence-scope.ts';
import { toReasonResponses } from './reason-response.ts';

/**
 * In bytes of documents. Larger pages are read one attestation at a time. If they were read at once, other organizations
 * would wait several times as long for their answers (`large lists` of `npm run bench -- --hostile`).
 */
const readAtOnce = maximumDocumentBytes;

export function addAttestationListRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { links } = dependencies;

  addRoute(host, listAttestations, requireRole(dependencies, 'read'), async ({ parameters, query }) => {
    const { org, flow_name: flow } = parameters;
    const { from_timestamp: from, to_timestamp: to } = query;
    const part = toListPart(query);
    const found = await attestationList.findAttestationPage(dependencies, { org, flow, from, to, part });
    if (found === undefined) throw flowMissing(org, flow);
    const { total, range, bytes } = found;
    if (bytes > maximumPageBytes) {
      const rule = `selects more than ${maximumPageBytes} bytes of attestations; request smaller pages`;
      throw validationError(['query.per_page', rule]);
    }
    const data = await host.admission.handle(bytes, async (pause) => {
      const written: string[] = [];
      for (const each of bytes > readAtOnce ? splitRange(range) : [range]) {
        await pause();
        const read = await attestationList.listAttestations(dependencies, { org, flow }, each);
        // The flow was renamed meanwhile.
        if (read.length <= each.last - each.first) throw flowMissing(org, flow);
        written.push(...read.map((attestation) => JSON.stringify(toAttestationResponse(attestation, links))));
      }
      return written;
    });
    const pagination = toPagination(part, total);
    const _links = pageLinks(query, pagination, (words) => links.attestationList(org, flow, words));
    const others = JSON.stringify({ _links, pagination }).slice(1);
    return {
      status: 200,
      body: new SerializedJson<AttestationPage>(Buffer.from(`{"data":[${data.join(',')}],${others}`)),
    };
  });
}

/** Ranges of one attestation each, newest first. */
function splitRange({ first, last }: NumberRange): readonly NumberRange[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({ first: last - index, last: last - index }));
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
