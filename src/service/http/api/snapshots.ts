import { environmentNotFound, flowNotFound } from '../../../contract/errors.ts';
import { usualPageSize } from '../../../contract/paging.ts';
import { badSnapshotExpression, diffEnvironments, listSnapshots } from '../../../contract/snapshot.ts';
import { parseSnapshotExpression, parseSnapshotInterval } from '../../../contract/snapshot-expression.ts';
import { differenceBetween } from '../../domain/environment/difference.ts';
import { fingerprintsOf } from '../../domain/environment/running-artifact.ts';
import type { Snapshot } from '../../domain/environment/snapshot.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { SnapshotListQuery } from '../../storage/environment-store.ts';
import type { Store } from '../../storage/store.ts';
import { requireRole } from '../authentication/authentication.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { toDifferenceResponse, toSnapshotResponse } from './snapshot-responses.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** Operations 11 and 12: what differs between two snapshots, and the snapshots of an environment. */
export function addSnapshotRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { store, now } = dependencies;

  addRoute(host, diffEnvironments, requireRole(dependencies, 'read'), async ({ parameters: { org }, query }) => {
    const time = unixSeconds(now());
    // Both are asked for before either is waited for, so that they are of one moment.
    const [first, second] = await Promise.all([
      demandSnapshot(store, { org, name: 'snappish1', expression: query.snappish1, time }),
      demandSnapshot(store, { org, name: 'snappish2', expression: query.snappish2, time }),
    ]);
    const provenance = await store.findProvenance(org, fingerprintsOf([...first.artifacts, ...second.artifacts]));
    const difference = differenceBetween(first.artifacts, second.artifacts);
    return { status: 200, body: toDifferenceResponse([first, second], difference, provenance) };
  });

  addRoute(host, listSnapshots, requireRole(dependencies, 'read'), async ({ parameters, query }) => {
    const { org, env_name: environment } = parameters;
    const { page = 1, per_page: size = usualPageSize, reverse = false } = query;
    const time = unixSeconds(now());
    const interval = demandInterval(query.interval ?? '');
    const wanted = { page, size, ascending: reverse };
    const snapshots = await store.listSnapshots({ org, environment, interval, page: wanted, now: time });
    if (snapshots === undefined) {
      const reason = `names no environment of organization '${org}'`;
      throw new ApiError(flowNotFound, { errors: [['path.env_name', reason]] });
    }
    return { status: 200, body: snapshots.map((snapshot) => toSnapshotResponse(snapshot, time)) };
  });
}

/** @throws ApiError where the text is neither empty nor an interval. */
function demandInterval(text: string): SnapshotListQuery['interval'] {
  if (text === '') return undefined;
  const interval = parseSnapshotInterval(text);
  if ('problem' in interval) throw validationError(['query.interval', interval.problem]);
  return interval;
}

interface Wanted {
  readonly org: string;
  /** The name of the query parameter. */
  readonly name: string;
  readonly expression: string;
  readonly time: number;
}

/** @throws ApiError where the expression selects no snapshot. */
async function demandSnapshot(store: Store, { org, name, expression, time }: Wanted): Promise<Snapshot> {
  const refuse = (reason: string): ApiError => new ApiError(badSnapshotExpression, { values: { expression, reason } });
  const parsed = parseSnapshotExpression(expression);
  if ('problem' in parsed) throw refuse(parsed.problem);
  const finding = await store.findSnapshot(org, parsed.readings, time);
  switch (finding.outcome) {
    case 'found':
      return finding.snapshot;
    case 'environment not found':
      throw new ApiError(environmentNotFound, {
        errors: [[`query.${name}`, `names no environment of organization '${org}'`]],
      });
    case 'too large':
      throw refuse('its members have too many artifacts to be combined; request them one by one');
    case 'no such snapshot': {
      const { environment, latest } = finding;
      throw refuse(
        latest === 0 ? `${environment} has no snapshots` : `${environment} has the snapshots 1 to ${latest}`,
      );
    }
  }
}
