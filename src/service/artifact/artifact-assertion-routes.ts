import { artifactNotFound } from '../../contract/artifact.ts';
import { type ArtifactAssertion, artifactUnknown, assertArtifact } from '../../contract/artifact-assertion.ts';
import { namedEnvironmentNotFound, namedFlowNotFound } from '../../contract/errors.ts';
import { policyMissing } from '../../contract/policy.ts';
import { type Caller, mayAccess } from '../account/access.ts';
import { toReadableEvaluations, toReadableReasons } from '../account/readable-parts.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';
import { describeReasons } from '../attestation/reasons.ts';
import type { JudgedReport } from '../platform/judging/provenance.ts';
import type { Links } from '../platform/links.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { RuleEvaluation } from '../policy/compile-policy.ts';
import type { PolicyEvaluation } from '../policy/judge-environment.ts';
import { toAttestationStatus } from '../trail/trail-response.ts';
import * as assertions from './artifact-assertion-use-cases.ts';
import { listArtifactEvidence } from './artifact-state.ts';

export function addArtifactAssertionRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, assertArtifact, requireRole(dependencies, 'read', 'named later'), async (received) => {
    const { caller, parameters, query } = received;
    const { flow_name: flow, environment_name: environment, policy_name: policies } = query;
    const flows = flow === undefined ? [] : [flow];
    const environments = environment === undefined ? [] : [environment];
    requireAccess(caller, 'read', { flows, environments }, assertArtifact);
    if (environment !== undefined && policies !== undefined && policies.length > 0) {
      throw validationError(['query.policy_name', 'must not be given together with environment_name']);
    }
    const wanted = { ...parameters, flow, environment, policies };
    const judged = await assertions.assertArtifact(dependencies, wanted);
    if (judged.outcome !== 'judged') throw toObstacleError(judged, wanted);
    const body = toReadableAssertion(dependencies, caller, judged, wanted);
    if (body === undefined) throw toObstacleError({ outcome: 'artifact not found' }, wanted);
    return { status: 200, body };
  });
}

/** Converts a verdict without what the caller may not read; undefined if it may not read any report of the artifact. */
export function toReadableAssertion(
  { links }: Pick<RouteDependencies, 'links'>,
  caller: Caller,
  judged: assertions.Assertion,
  wanted: assertions.AssertionQuery,
): ArtifactAssertion | undefined {
  const { org } = caller;
  const [first, ...others] = judged.reports.filter((one) => mayAccess(caller, org, 'read', { flows: [one.flow] }));
  if (first === undefined) return undefined;
  const readable = {
    ...judged,
    reports: [first, ...others] as const,
    reasons: toReadableReasons(caller, judged.reasons),
    policies: judged.policies === undefined ? undefined : toReadableEvaluations(caller, judged.policies),
  };
  return toAssertionResponse(readable, wanted, links);
}

function toObstacleError(
  obstacle: assertions.AssertionObstacle,
  { org, fingerprint, flow, environment = '' }: assertions.AssertionQuery,
): ApiError {
  switch (obstacle.outcome) {
    case 'flow not found':
      return new ApiError(namedFlowNotFound, { values: { org, flow: flow ?? '' } });
    case 'artifact not found':
      return flow === undefined
        ? new ApiError(artifactUnknown, { values: { org, fingerprint } })
        : new ApiError(artifactNotFound, { values: { org, fingerprint, flow } });
    case 'environment not found':
      return new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
    case 'policy not found':
      return new ApiError(policyMissing, { values: { org, policy: obstacle.policy } });
  }
}

function toAssertionResponse(
  assertion: assertions.Assertion,
  { org, fingerprint, environment }: assertions.AssertionQuery,
  links: Links,
): ArtifactAssertion {
  const { scope, compliant, reasons, policies, reports } = assertion;
  return {
    compliant,
    compliant_info: assertions.describeAssertion(assertion),
    reasons: toReasonResponses(reasons, org, links),
    scope,
    fingerprint,
    ...(environment === undefined ? {} : { environment }),
    ...(policies === undefined ? {} : { policy_evaluations: policies.map(toPolicyResponse) }),
    flows: reports.map((report) => toFlowResponse(report, links)),
    html_url: toPage(reports[0], links),
  };
}

function toPolicyResponse({
  policy,
  version,
  compliant,
  rules,
  unjudgeable,
}: PolicyEvaluation): NonNullable<ArtifactAssertion['policy_evaluations']>[number] {
  return {
    policy_name: policy,
    policy_version: version,
    status: compliant ? 'COMPLIANT' : 'NON-COMPLIANT',
    ...(unjudgeable === undefined ? {} : { status_info: unjudgeable }),
    rule_evaluations: rules.map(({ definition, result }) => ({
      rule: { definition: { ...definition } },
      satisfied: result.outcome === 'kept',
      ignored: !['kept', 'broken'].includes(result.outcome),
      resolutions: toResolutions(result),
    })),
  };
}

function toResolutions(result: RuleEvaluation['result']): { type: string; context: Record<string, unknown> }[] {
  return result.outcome === 'broken'
    ? [{ type: result.type, context: { reason: describeReasons(result.reasons) } }]
    : [];
}

function toFlowResponse(report: JudgedReport, links: Links): NonNullable<ArtifactAssertion['flows']>[number] {
  const { flow, state, info, details } = report;
  return {
    flow,
    trail: details.artifact.report.trail_name,
    state,
    state_info: info,
    html_url: toPage(report, links),
    compliance_status: { attestations_statuses: listArtifactEvidence(details).map(toAttestationStatus) },
  };
}

function toPage({ details: { artifact } }: JudgedReport, links: Links): string {
  return links.pages.artifact(artifact.org, artifact.flow, artifact.report.fingerprint, artifact.id);
}
