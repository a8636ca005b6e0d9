import { environmentNotFound, flowNotFound, noSuchSnapshot } from '../../contract/errors.ts';
import { defaultPageSize } from '../../contract/paging.ts';
import { badSnapshotExpression, diffEnvironments, listSnapshots } from '../../contract/snapshot.ts';
import { parseSnapshotExpression, parseSnapshotInterval } from '../../contract/snapshot-expression.ts';
import { compareArtifacts } from './snapshot-difference.ts';
import * as snapshots from './snapshot-use-cases.ts';
import type { Snapshot } from './snapshot.ts';
import { toReadableArtifacts, toReadableProvenance, toReadableReasons } from '../account/readable-parts.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, missingEnvironment, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';
import { toDifferenceResponse, toSnapshotResponse } from './snapshot-response.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds operations 11 and 12: compare two snapshots, and list the snapshots of an environment. */
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
        html_url: links.snapshotPage(org, environment, snapshot.number),
      })),
    };
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
export interface ExpressionParameter {
  readonly org: string;
  /** The name of the query parameter. */
  readonly name: string;
  readonly expression: string;
}

/** An expression with its readings. */
export interface ParsedParameter extends ExpressionParameter {
  readonly readings: snapshots.SnapshotReadings;
}

function toExpressionError({ expression }: ExpressionParameter, reason: string): ApiError {
  return new ApiError(badSnapshotExpression, { values: { expression, reason } });
}

/**
 * Parses an expression that selects a snapshot.
 *
 * @throws ApiError if it is not one.
 */
export function parseExpression(parameter: ExpressionParameter): ParsedParameter {
  const parsed = parseSnapshotExpression(parameter.expression);
  if ('problem' in parsed) throw toExpressionError(parameter, parsed.problem);
  return { ...parameter, readings: parsed.readings };
}

/**
 * Returns the selected snapshot.
 *
 * @throws ApiError if the expression selects none.
 */
export function requireSnapshot(parameter: ParsedParameter, finding: snapshots.SnapshotLookup): Snapshot {
  const { org, name, expression, readings } = parameter;
  switch (finding.outcome) {
    case 'found':
      return finding.snapshot;
    case 'environment not found':
      throw new ApiError(environmentNotFound, {
        errors: [missingEnvironment(org, readings[0].environment, `query.${name}`)],
      });
    case 'too large':
      throw toExpressionError(parameter, 'its members have too many artifacts to be combined; request them one by one');
    case 'no such snapshot': {
      const { environment, number, latest: count } = finding;
      const suffix = expression.slice(environment.length);
      throw new ApiError(noSuchSnapshot, { values: { org, environment, expression: suffix, number, count } });
    }
  }
}
