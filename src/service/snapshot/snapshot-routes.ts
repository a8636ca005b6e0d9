import { environmentNotFound, flowNotFound, noSuchSnapshot, namedEnvironmentNotFound } from '../../contract/errors.ts';
import { defaultPageSize } from '../../contract/paging.ts';
import {
  badSnapshotExpression,
  diffEnvironments,
  listSnapshots,
  type DifferingArtifact,
  type EnvironmentDifference,
  type SnapshotEntry,
} from '../../contract/snapshot.ts';
import {
  parseSnapshotExpression,
  parseSnapshotInterval,
  type SnapshotSelector,
} from '../../contract/snapshot-expression.ts';
import { compareArtifacts, type ComparedArtifact, type Difference } from './snapshot-difference.ts';
import * as snapshots from './snapshot-use-cases.ts';
import { type Snapshot, createArtifactVerdict, type SnapshotSummary } from './snapshot.ts';
import {
  toReadableArtifacts,
  toReadableProvenance,
  toReadableReasons,
  toReadableSnapshot,
} from '../account/readable-parts.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, missingEnvironment, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { getSnapshot, type SnapshotArtifact, type SnapshotDetailsResponse } from '../../contract/snapshot-details.ts';
import { toIdentity, type Instance } from './running-artifact.ts';
import type { Links } from '../platform/links.ts';
import type { Provenance } from './snapshot-events.ts';

/** Adds operations 11 and 12, which compare two snapshots and list those of an environment, and the reading of one. */
export function addSnapshotRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { now, links } = dependencies;

  addRoute(host, diffEnvironments, requireRole(dependencies, 'read', 'named later'), async (received) => {
    const { caller, parameters, query } = received;
    const { org } = parameters;
    const one = parseExpression({ org, name: 'snappish1', expression: query.snappish1 });
    const other = parseExpression({ org, name: 'snappish2', expression: query.snappish2 });
    // An expression can be read in several ways; all of them must be permitted.
    const environments = [...one.readings, ...other.readings].map(({ environment }) => environment);
    requireAccess(caller, 'read', { environments }, diffEnvironments);
    const wanted = { org, first: one.readings, second: other.readings, now: unixSeconds(now()) };
    const found = await snapshots.findComparedSnapshots(dependencies, wanted);
    const [first, second] = [requireSnapshot(one, found.first), requireSnapshot(other, found.second)];
    const difference = compareArtifacts(
      toReadableArtifacts(caller, first.artifacts),
      toReadableArtifacts(caller, second.artifacts),
    );
    const provenance = toReadableProvenance(caller, found.provenance);
    return { status: 200, body: toDifferenceResponse([first, second], difference, provenance) };
  });

  addRoute(host, listSnapshots, requireRole(dependencies, 'read'), async ({ caller, parameters, query }) => {
    const { org, env_name: environment } = parameters;
    const { page = 1, per_page: size = defaultPageSize, reverse = false } = query;
    const time = unixSeconds(now());
    const interval = parseInterval(query.interval ?? '', environment);
    const wanted = { page, size, ascending: reverse };
    const listed = await snapshots.listSnapshots(dependencies, {
      ...{ org, environment, interval },
      ...{ page: wanted, now: time },
    });
    if (listed === undefined) throw new ApiError(flowNotFound, { errors: [missingEnvironment(org, environment)] });
    const reasons = toReasonResponses(toReadableReasons(caller, listed.reasons), org, links);
    return {
      status: 200,
      body: listed.snapshots.map((snapshot) => ({
        ...toSnapshotResponse(snapshot, time),
        ...(snapshot.to === undefined ? { reasons } : {}),
        html_url: links.pages.snapshot(org, environment, snapshot.number),
      })),
    };
  });

  addRoute(host, getSnapshot, requireRole(dependencies, 'read'), async ({ caller, parameters }) => {
    const { org, env_name: environment, snapshot: expression } = parameters;
    const selector = parseSelector(environment, expression);
    const wanted = { org, environment, selector, now: unixSeconds(now()) };
    const found = await snapshots.findSnapshot(dependencies, wanted);
    switch (found.outcome) {
      case 'found':
        return { status: 200, body: toDetailsResponse(toReadableSnapshot(caller, found), links) };
      case 'environment not found':
        throw new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
      case 'too large': {
        const rule = 'has members with too many artifacts to be combined; get them one by one';
        throw validationError(['path.snapshot', rule]);
      }
      case 'no such snapshot': {
        const { number, latest: count } = found;
        const marked = /^[-0-9]/.test(expression) ? `#${expression}` : expression;
        throw new ApiError(noSuchSnapshot, { values: { org, environment, expression: marked, number, count } });
      }
    }
  });
}

/**
 * Parses the query parameter `interval`; undefined if it is empty.
 *
 * @throws ApiError if the text is neither empty nor an interval of the environment.
 */
export function parseInterval(text: string, environment: string): snapshots.SnapshotListQuery['interval'] {
  if (text === '') return undefined;
  const interval = parseSnapshotInterval(text, environment);
  if ('problem' in interval) throw validationError(['query.interval', interval.problem]);
  return interval;
}

/** An expression that selects a snapshot, in a query parameter. */
interface ExpressionParameter {
  readonly org: string;
  /** The name of the query parameter. */
  readonly name: string;
  readonly expression: string;
  readonly readings: snapshots.SnapshotReadings;
}

function toExpressionError(expression: string, reason: string): ApiError {
  return new ApiError(badSnapshotExpression, { values: { expression, reason } });
}

/**
 * Parses an expression that selects a snapshot.
 *
 * @throws ApiError if it is not one.
 */
export function parseExpression(parameter: Omit<ExpressionParameter, 'readings'>): ExpressionParameter {
  const parsed = parseSnapshotExpression(parameter.expression);
  if ('problem' in parsed) throw toExpressionError(parameter.expression, parsed.problem);
  return { ...parameter, readings: parsed.readings };
}

/**
 * Returns the selected snapshot.
 *
 * @throws ApiError if the expression selects none.
 */
export function requireSnapshot(
  { org, name, expression, readings }: ExpressionParameter,
  finding: snapshots.SnapshotLookup,
): Snapshot {
  switch (finding.outcome) {
    case 'found':
      return finding.snapshot;
    case 'environment not found':
      throw new ApiError(environmentNotFound, {
        errors: [missingEnvironment(org, readings[0].environment, `query.${name}`)],
      });
    case 'too large':
      throw toExpressionError(
        expression,
        'its members have too many artifacts to be combined; request them one by one',
      );
    case 'no such snapshot': {
      const { environment, number, latest: count } = finding;
      const suffix = expression.slice(environment.length);
      throw new ApiError(noSuchSnapshot, { values: { org, environment, expression: suffix, number, count } });
    }
  }
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
    html_url: links.pages.snapshot(org, environment, number),
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

/**
 * Converts a snapshot to a list entry of operation 12. Times are whole seconds (interface, Snapshot), so the end equals
 * the beginning of the next snapshot; but if the clock was set back in between, the snapshot ends when it began. A
 * snapshot without a verdict is not compliant, and `judged` is false.
 *
 * @param now in Unix seconds; the end of the current snapshot for `duration`.
 */
function toSnapshotResponse({ number, from, to, compliant }: SnapshotSummary, now: number): SnapshotEntry {
  const begin = Math.floor(from);
  const end = Math.max(begin, Math.floor(to ?? now));
  return {
    index: number,
    from: begin,
    to: to === undefined ? 0 : end,
    compliant: compliant ?? false,
    judged: compliant !== null,
    duration: end - begin,
  };
}

/** Artifacts in both snapshots are shown as in the second one. */
function toDifferenceResponse(
  [first, second]: readonly [Snapshot, Snapshot],
  difference: Difference,
  provenance: ReadonlyMap<string, Provenance>,
): EnvironmentDifference {
  const part = (
    { environment, number }: Snapshot,
    artifacts: readonly ComparedArtifact[],
  ): EnvironmentDifference['changed'] => ({
    snapshot_id: `${environment}#${number}`,
    artifacts: artifacts.map((compared) => toArtifactResponse(compared, provenance)),
  });
  return {
    snappish1: part(first, difference.onlyInFirst),
    snappish2: part(second, difference.onlyInSecond),
    changed: part(second, difference.changed),
    'not-changed': part(second, difference.notChanged),
  };
}

function toArtifactResponse(
  { artifact, instances: [inFirst, inSecond] }: ComparedArtifact,
  provenance: ReadonlyMap<string, Provenance>,
): DifferingArtifact {
  const { name, fingerprint, instances } = artifact;
  const known = provenance.get(fingerprint);
  const created = instances.map(({ createdAt }) => createdAt);
  return {
    fingerprint,
    name,
    most_recent_timestamp: created.reduce((latest, time) => Math.max(latest, time), 0),
    flow: known?.flow ?? '',
    commit_url: known?.commitUrl ?? '',
    instance_count: instances.length,
    s1_instance_count: inFirst,
    s2_instance_count: inSecond,
    pods: instances.flatMap(({ pod }) => (pod === '' ? [] : [pod])),
  };
}
