import {
  type AttestationEvidence,
  findArtifactAttestations,
  findAttestationById,
  findTrailAttestations,
  type FoundAttestation,
} from '../../contract/attestation-lookup.ts';
import type { PullRequest, PullRequestAttestation } from '../../contract/attestations/pull-request.ts';
import { namedFlowNotFound } from '../../contract/errors.ts';
import { describeEvidence } from '../artifact/artifact-state.ts';
import type { Links } from '../platform/links.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { toCommitResponse } from '../trail/trail-response.ts';
import { type Attachment, type Attestation, isOfKind } from './attestation.ts';
import { toAttestationResponse } from './attestation-list-routes.ts';
import * as lookup from './attestation-lookup-use-cases.ts';

export function addAttestationLookupRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { links } = dependencies;
  const findByName = async (query: lookup.AttestationNameQuery): Promise<FoundAttestation[]> => {
    const found = await lookup.findAttestationsByName(dependencies, query);
    if (found === undefined) throw new ApiError(namedFlowNotFound, { values: { org: query.org, flow: query.flow } });
    return found.map(({ attestation, requiredType }) => ({
      ...toFoundAttestation(attestation, links),
      ...(requiredType === undefined ? {} : { required_type: requiredType }),
    }));
  };

  addRoute(host, findTrailAttestations, requireRole(dependencies, 'read'), async ({ parameters }) => {
    const { org, flow_name: flow, trail_name: trail, attestation_name: name } = parameters;
    return { status: 200, body: await findByName({ org, flow, name, of: { trail } }) };
  });

  addRoute(host, findArtifactAttestations, requireRole(dependencies, 'read'), async ({ parameters }) => {
    const { org, flow_name: flow, fingerprint, attestation_name: name } = parameters;
    return { status: 200, body: await findByName({ org, flow, name, of: { fingerprint } }) };
  });

  addRoute(host, findAttestationById, requireRole(dependencies, 'read'), async ({ parameters, query }) => {
    const { attestation_id: id } = query;
    const found = await lookup.findAttestation(dependencies, { org: parameters.org, id });
    return { status: 200, body: { data: found === undefined ? [] : [toEvidence(found, links)] } };
  });
}

function toEvidence(attestation: Attestation, links: Links): AttestationEvidence {
  const { org, flow, trail, id, document, facts, attachment } = attestation;
  const { git_commit_info: commit, proven, ...sent } = document;
  return {
    ...sent,
    ...(proven === undefined ? {} : { proven }),
    ...(isOfKind(attestation, 'pull_request') ? { pull_requests: toPullRequests(attestation.document) } : {}),
    ...toFoundAttestation(attestation, links),
    ...(facts === undefined ? {} : { facts }),
    ...(commit === undefined ? {} : { git_commit_info: { ...commit, ...toCommitResponse(commit) } }),
    attachments: toAttachments(attachment, links.pages.attachment(org, flow, trail, id)),
  };
}

/** A policy that counts the approvers must not fail on null. */
function toPullRequests({ pull_requests: found }: PullRequestAttestation): PullRequest[] {
  return found.map((pullRequest) => ({ ...pullRequest, approvers: pullRequest.approvers ?? [] }));
}

export function toAttachments(attachment: Attachment | undefined, url: string): AttestationEvidence['attachments'] {
  if (attachment === undefined) return [];
  const { filename, size, digest, removal } = attachment;
  return [{ filename, size, sha256: digest, url, ...(removal === undefined ? {} : { removed: removal }) }];
}

export function toFoundAttestation(attestation: Attestation, links: Links): FoundAttestation {
  const { git_commit_info: commit } = attestation.document;
  return {
    ...toAttestationResponse(attestation, links),
    ...(commit === undefined ? {} : { git_commit_info: toCommitResponse(commit) }),
    status_info: describeEvidence(attestation),
  };
}
