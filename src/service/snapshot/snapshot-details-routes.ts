import { namedEnvironmentNotFound, noSuchSnapshot } from '../../contract/errors.ts';
import { parseSnapshotExpression, type SnapshotSelector } from '../../contract/snapshot-expression.ts';
import { getSnapshot, type SnapshotArtifact, type SnapshotDetailsResponse } from '../../contract/snapshot-details.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import * as snapshots from './snapshot-details-use-cases.ts';
import { toIdentity, type Instance } from './running-artifact.ts';
import { createArtifactVerdict } from './snapshot.ts';
import type { Links } from '../platform/links.ts';
import { toReadableSnapshot } from '../account/readable-parts.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';

/** Adds the endpoint that shows one snapshot. */
export function addSnapshotDetailsRoute(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, getSnapshot, requireRole(dependencies, 'read'), async ({ caller, parameters }) => {
    const { org, env_name: environment, snapshot: expression } = parameters;
    const selector = parseSelector(environment, expression);
    const now = unixSeconds(dependencies.now());
    const found = await snapshots.inspectSnapshot(dependencies, { org, environment, selector, now });
    switch (found.outcome) {
      case 'found':
        return {
          status: 200,
          body: toDetailsResponse(toReadableSnapshot(caller, found), dependencies.links),
        };
      case 'environment not found':
        throw new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
      case 'too large':
        throw validationError([
          'path.snapshot',
          'has members with too many artifacts to be combined; get them one by one',
        ]);
      case 'no such snapshot': {
        const { number, count } = found;
        const marked = /^[-0-9]/.test(expression) ? `#${expression}` : expression;
        throw new ApiError(noSuchSnapshot, { values: { org, environment, expression: marked, number, count } });
      }
    }
  });
}

/** @throws ApiError if the text does not select a snapshot. */
function parseSelector(environment: string, expression: string): SnapshotSelector {
  if (expression.startsWith('-')) return { kind: 'behind', count: Number(expression.slice(1)) - 1 };
  const parsed = parseSnapshotExpression(environment + (/^[0-9]/.test(expression) ? '#' : '') + expression);
  if ('problem' in parsed) throw validationError(['path.snapshot', parsed.problem]);
  return parsed.readings[0].selector;
}

function toDetailsResponse(found: snapshots.SnapshotDetails, links: Links): SnapshotDetailsResponse {
  const { kind, snapshot, members, reasons, previous, provenance } = found;
  const { org, environment, number, from, judgement } = snapshot;
  const isCompliant = createArtifactVerdict(snapshot, members);
  const before = new Map(previous.map((artifact) => [toIdentity(artifact), artifact.instances.length]));
  const artifacts = snapshot.artifacts.map((artifact): SnapshotArtifact => {
    const { name, fingerprint, instances } = artifact;
    const build = provenance.get(fingerprint);
    return {
      name,
      fingerprint,
      flow_name: build?.flow ?? '',
      git_commit: build?.commit ?? '',
      commit_url: build?.commitUrl ?? '',
      compliant: isCompliant(artifact),
      deployments: [],
      creationTimestamp: instances.map(({ createdAt }) => createdAt),
      pods: Object.fromEntries(nameInstances(kind === 'K8S' || kind === 'logical' ? instances : [])),
      annotation: toAnnotation(before.get(toIdentity(artifact)) ?? 0, instances.length),
    };
  });
  return {
    index: number,
    environment,
    timestamp: from,
    type: kind,
    user_id: '',
    user_name: '',
    compliant: judgement.compliant ?? false,
    judged: judgement.compliant !== null,
    html_url: links.snapshotPage(org, environment, number),
    reasons: toReasonResponses(reasons, org, links),
    artifacts,
  };
}

function toAnnotation(was: number, now: number): SnapshotArtifact['annotation'] {
  if (was === 0) return { type: 'started-running', was, now };
  return { type: was === now ? 'unchanged' : 'scaled', was, now };
}

/** The pods by a name of their own: pods of two namespaces can have the same name. */
function nameInstances(instances: readonly Instance[]): ReadonlyMap<string, SnapshotArtifact['pods'][string]> {
  const pods = new Map<string, SnapshotArtifact['pods'][string]>();
  for (const { namespace, pod, createdAt } of instances) {
    if (pod === '') continue;
    pods.set(pods.has(pod) ? `${namespace}/${pod}` : pod, { namespace, creationTimestamp: createdAt, owners: [] });
  }
  return pods;
}
