import { createHash } from 'node:crypto';
import { attestationNotFound, getStatement } from '../../contract/attestation-statement.ts';
import type { EndpointResponse } from '../../contract/endpoint.ts';
import { noSigningKey } from '../../contract/log.ts';
import { toLogOrigin } from '../../runtime/transparency-log/checkpoint.ts';
import type { Statement } from '../log/sign-statement.ts';
import type { Links } from '../platform/links.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { SerializedJson } from '../platform/server/json-response.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { type Attestation, isOfKind } from './attestation.ts';
import { toAttachments, toFoundAttestation } from './attestation-lookup-routes.ts';
import { findAttestation, findReportedArtifact } from './attestation-lookup-use-cases.ts';

export function addStatementRoute(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, getStatement, requireRole(dependencies, 'read', 'named later'), async ({ caller, parameters }) => {
    const { org, attestation_id: id } = parameters;
    const attestation = await findAttestation(dependencies, { org, id });
    if (attestation === undefined) throw new ApiError(attestationNotFound, { values: parameters });
    requireAccess(caller, 'read', { flows: [attestation.flow] }, getStatement);
    return { status: 200, body: await createStatement(dependencies, attestation) };
  });
}

/**
 * Creates the statement of an attestation, signed by the current key: a bundle has one signature.
 *
 * @throws ApiError if the service has no signing key
 */
export async function createStatement(
  dependencies: Pick<RouteDependencies, 'links' | 'signingKeys' | 'storage'>,
  attestation: Attestation,
): Promise<SerializedJson<EndpointResponse<typeof getStatement>>> {
  const { links, signingKeys: [key] = [] } = dependencies;
  if (key === undefined) throw new ApiError(noSigningKey);
  const name = toLogOrigin(links.origin(), attestation.org);
  const artifact = await findReportedArtifact(dependencies, attestation);
  // Loaded by the first statement, because Sigstore's packages take long to load and most services sign none.
  const { signStatement } = await import('../log/sign-statement.ts');
  const statement = toStatement(attestation, artifact?.report.filename, links);
  return new SerializedJson(Buffer.from(signStatement(statement, name, key)));
}

function toStatement(attestation: Attestation, artifact: string | undefined, links: Links): Statement {
  const { org, flow, trail, id, verdict, facts, attachment, document } = attestation;
  const predicateType = `${links.origin()}/-/attestation/v1`;
  const predicate = {
    ...{ org, flow_name: flow, ...toFoundAttestation(attestation, links), verdict },
    ...(facts === undefined ? {} : { facts }),
    attachments: toAttachments(attachment, links.pages.attachment(org, flow, trail, id)),
  };
  const subject = toSubject(attestation, artifact, links);
  // The type of in-toto has only these two results. They are about the tests, so an override has neither.
  if (!isOfKind(attestation, 'junit') || document.override !== undefined || verdict === 'incomplete')
    return { subject, predicateType, predicate };
  const suites = attestation.document.junit_results;
  const failed = suites.filter(({ failures, errors }) => failures + errors > 0);
  const passed = suites.filter((suite) => !failed.includes(suite) && suite.total > suite.skipped);
  return {
    subject,
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: verdict === 'compliant' ? 'PASSED' : 'FAILED',
      configuration: [],
      ...(document.origin_url === undefined ? {} : { url: document.origin_url }),
      passedTests: passed.map((suite) => suite.name),
      failedTests: failed.map((suite) => suite.name),
      [predicateType]: predicate,
    },
  };
}

/** What the attestation is about: the artifact, else the commit, else the address of the trail. */
function toSubject(
  { org, flow, trail, document }: Attestation,
  artifact: string | undefined,
  links: Links,
): Statement['subject'] {
  const { artifact_fingerprint: fingerprint, git_commit_info: commit, repo_info: repository } = document;
  if (fingerprint !== undefined) return { name: artifact, digest: { sha256: fingerprint } };
  if (commit !== undefined) return { name: repository?.name, digest: { gitCommit: commit.sha1 } };
  const name = links.pages.trail(org, flow, trail);
  return { name, digest: { sha256: createHash('sha256').update(name).digest('hex') } };
}
