import { artifactNotFound, fingerprintAmbiguous, getArtifact } from '../../contract/artifact.ts';
import {
  findLatestCommit,
  type FoundArtifactEntry,
  listArtifacts,
  listArtifactsOfCommit,
  type ListedArtifact,
  nothingMatches,
  repositoryMissing,
  searchArtifacts,
} from '../../contract/artifact-lists.ts';
import { reportArtifact, toArtifactReport } from '../../contract/artifact-report.ts';
import type { EndpointQuery } from '../../contract/endpoint.ts';
import { namedFlowNotFound } from '../../contract/errors.ts';
import { toAttribution } from '../account/access.ts';
import { toReadableDetails } from '../account/readable-parts.ts';
import { withProof } from '../login/proven-response.ts';
import type { JudgedReport } from '../platform/judging/provenance.ts';
import type { Links } from '../platform/links.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, flowMissing, validationError } from '../platform/server/errors/api-error.ts';
import { toListPart } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { ArtifactDetails } from './artifact.ts';
import type { ReportSource } from './artifact-records.ts';
import { toArtifactResponse } from './artifact-response.ts';
import * as artifacts from './artifact-use-cases.ts';

export function addArtifactListRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { links } = dependencies;
  const mayRead = requireRole(dependencies, 'read');

  addRoute(host, findLatestCommit, mayRead, async ({ parameters, query: { branch } }) => {
    const { org, flow_name: flow, fingerprint } = parameters;
    const found = await artifacts.findLatestCommit(dependencies, { org, flow, fingerprint, branch });
    if (found === 'flow not found') throw new ApiError(namedFlowNotFound, { values: { org, flow } });
    return { status: 200, body: { latest_commit: found.commit ?? null } };
  });

  addRoute(host, listArtifactsOfCommit, mayRead, async ({ caller, parameters, query: { trail } }) => {
    const { org, flow_name: flow, commit_sha: commit } = parameters;
    const found = await artifacts.listArtifactsOfCommit(dependencies, { org, flow, commit, trail });
    if (found === 'flow not found') throw new ApiError(namedFlowNotFound, { values: { org, flow } });
    return { status: 200, body: found.map((details) => toArtifactResponse(toReadableDetails(caller, details), links)) };
  });

  addRoute(host, listArtifacts, requireRole(dependencies, 'read', 'named later'), async (received) => {
    const { caller, parameters, query } = received;
    const source = requireSource(parameters.org, query);
    requireAccess(caller, 'read', 'flow' in source ? { flows: [source.flow] } : {}, listArtifacts);
    const found = await artifacts.listArtifacts(dependencies, { source, part: toListPart(query) });
    if (found === 'source not found') throw toMissingError(source);
    return { status: 200, body: found.map((report) => toListedArtifact(report, links)) };
  });

  addRoute(host, searchArtifacts, mayRead, async ({ parameters: { org, digits } }) => {
    const { matches, artifacts: found } = await artifacts.searchArtifacts(dependencies, org, digits);
    const { fingerprints, commits } = matches;
    const [match, ...others] = [
      ...fingerprints.map((digest) => ({ type: 'fingerprint', digest })),
      ...commits.map((digest) => ({ type: 'commit', digest })),
    ];
    if (match === undefined) throw new ApiError(nothingMatches, { values: { digits } });
    const { type, digest } = others.length === 0 ? match : { type: 'ambiguous', digest: '' };
    return {
      status: 200,
      body: {
        resolved_to: {
          ...{ type, full_match: digest },
          fingerprints: toMatches('fingerprint', fingerprints),
          commits: toMatches('commit', commits),
        },
        artifacts: found.map((details) => toFoundArtifact(details, links)),
      },
    };
  });
}

/** @throws ApiError unless there is exactly one source. */
function requireSource(org: string, query: EndpointQuery<typeof listArtifacts>): ReportSource {
  const { flow_name: flow, repo_name: repository } = query;
  if (flow !== undefined && repository === undefined) return { org, flow };
  if (flow === undefined && repository !== undefined) return { org, repository };
  throw validationError(['query.flow_name', 'must be given, or repo_name, but not both']);
}

function toMissingError(source: ReportSource): ApiError {
  return 'flow' in source
    ? new ApiError(namedFlowNotFound, { values: source })
    : new ApiError(repositoryMissing, { values: { repo: source.repository } });
}

function toListedArtifact({ state, info, details: { artifact } }: JudgedReport, links: Links): ListedArtifact {
  const { org, flow, id, createdAt, report } = artifact;
  const { fingerprint, filename, git_commit, trail_name, commit_url, build_url } = report;
  return {
    ...{ fingerprint, filename, git_commit, state, state_info: info },
    created_at: String(createdAt),
    flow_name: flow,
    ...{ trail_name, commit_url, build_url },
    html_url: links.pages.artifact(org, flow, fingerprint, id),
  };
}

const maximumListed = 20;

function toMatches(type: string, found: readonly string[]): { type: string; count: number; matches: string[] } {
  return { type, count: found.length, matches: found.slice(0, maximumListed) };
}

function toFoundArtifact(details: ArtifactDetails, links: Links): FoundArtifactEntry {
  const { fingerprint, filename, git_commit, commit_url, build_url } = details.artifact.report;
  const { html_url = '', state = '', running = [], exited = [], history = [] } = toArtifactResponse(details, links);
  const toNames = (places: typeof running): string[] => [
    ...new Set(places.map(({ environment_name }) => environment_name)),
  ];
  return {
    ...{ fingerprint, name: filename, flow: details.artifact.flow, git_commit },
    has_provenance: true,
    ...{ commit_url, build_url, html_url, compliance_state: state },
    running_in: toNames(running),
    exited_from: toNames(exited),
    history,
  };
}

export function addArtifactRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { links } = dependencies;

  addRoute(host, getArtifact, requireRole(dependencies, 'read'), async ({ caller, parameters, query }) => {
    const found = await requireArtifact(dependencies, {
      org: parameters.org,
      flow: parameters.flow_name,
      fingerprint: parameters.fingerprint,
      trail: query.trail,
      attestationId: requireReportId(query),
    });
    return { status: 200, body: toArtifactResponse(toReadableDetails(caller, found.details), links) };
  });

  addRoute(host, reportArtifact, requireRole(dependencies, 'record'), ({ caller, parameters, document, carryOut }) => {
    const { org, flow_name: flow } = parameters;
    const report = {
      ...{ org, flow, ...toAttribution(caller, flow) },
      report: withProof(caller, toArtifactReport(document)),
    };
    return carryOut(artifacts.reportArtifact, dependencies, report, (recorded) => {
      if (recorded === 'flow not found') throw flowMissing(org, flow);
      return {
        status: 201,
        body: { message: 'OK', html_url: links.pages.trail(org, flow, report.report.trail_name) },
      };
    });
  });
}

/**
 * Returns the id of the requested report, which can be given under two names; undefined if there is none.
 *
 * @throws ApiError if the two differ.
 */
export function requireReportId(query: EndpointQuery<typeof getArtifact>): string | undefined {
  const { attestation_id: id, artifact_id: other = id } = query;
  if (id !== undefined && id !== other)
    throw validationError(['query.artifact_id', 'must be the same as attestation_id']);
  return other;
}

/** @throws ApiError if there is none, or the fingerprint is ambiguous. */
export async function requireArtifact(
  dependencies: Pick<RouteDependencies, 'storage' | 'now'>,
  query: artifacts.ArtifactQuery,
): Promise<artifacts.FoundArtifact> {
  const finding = await artifacts.findArtifact(dependencies, query);
  const { org, flow, fingerprint } = query;
  switch (finding.outcome) {
    case 'found':
      return finding;
    case 'flow not found':
      throw flowMissing(org, flow);
    case 'artifact not found':
      throw new ApiError(artifactNotFound, { values: { org, flow, fingerprint } });
    case 'ambiguous':
      throw new ApiError(fingerprintAmbiguous, { values: { org, flow, fingerprint, count: finding.count } });
  }
}
