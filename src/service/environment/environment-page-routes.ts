import type { ErrorResponse } from '../../contract/endpoint.ts';
import { namedEnvironmentNotFound } from '../../contract/errors.ts';
import { environmentName, orgName } from '../../contract/names.ts';
import { Type } from '../../contract/schema.ts';
import type { SnapshotSelector } from '../../contract/snapshot-expression.ts';
import { findEnvironment, findVerdictTimes } from './environment-list-use-cases.ts';
import { findSnapshot, findComparedSnapshots, listSnapshots } from '../snapshot/snapshot-use-cases.ts';
import type { Caller } from '../account/access.ts';
import type { SnapshotSummary } from '../snapshot/snapshot.ts';
import { toReadableEnvironment, toReadableSnapshot } from '../account/readable-parts.ts';
import { parseExpression, requireSnapshot } from '../snapshot/snapshot-routes.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { toEnvironmentListPage, toEnvironmentPage, type EnvironmentView } from './environment-page.ts';
import { listJudgedEnvironments } from '../organization/organization-page-routes.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { toComparisonPage, toFailedComparisonPage, toSnapshotPage } from '../snapshot/snapshot-page.ts';

/** How many snapshots the timeline shows. */
const snapshotsOnTimeline = 40;

/** How many snapshots are on a page of the list. */
const snapshotsOnPage = 20;

/** Adds the pages of environments, of their snapshots, and the difference between two snapshots. */
export function addEnvironmentPages(host: PageHost): void {
  const { dependencies } = host;

  addPage(
    host,
    { url: '/:org/environments', path: orgPath, query: Type.Object({}) },
    async ({ path: { org }, context }) =>
      toEnvironmentListPage(context, org, await listJudgedEnvironments(dependencies, org)),
  );

  // The public client links to the address with a slash at its end.
  for (const end of ['', '/']) {
    const url = `/:org/environments/:env_name${end}`;
    addPage(host, { url, path: environmentPath, query: environmentQuery }, async ({ path, query, context, caller }) => {
      const wanted = { caller, name: path.env_name, page: query.page ?? 1, now: context.now };
      return toEnvironmentPage(context, await loadEnvironment(dependencies, wanted));
    });
  }

  // The public client links to the shorter address.
  for (const place of ['snapshots/:index', ':index']) {
    const url = `/:org/environments/:env_name/${place}`;
    addPage(host, { url, path: snapshotPath, query: Type.Object({}) }, async ({ path, context, caller }) => {
      const { org, env_name: environment, index } = path;
      const overview = await findEnvironment(dependencies, { org, name: environment });
      const selector: SnapshotSelector = { kind: 'number', number: index };
      const found = await findSnapshot(dependencies, { org, environment, selector, now: context.now });
      if (found.outcome === 'too large') throw new ApiError(snapshotTooLarge, { values: path });
      if (found.outcome !== 'found' || overview === undefined) throw new ApiError(snapshotNotFound, { values: path });
      return toSnapshotPage(context, toReadableSnapshot(caller, found), overview.latest);
    });
  }

  addPage(host, { url: '/:org/compare', path: orgPath, query: comparisonQuery }, ({ path: { org }, query, context }) =>
    compare(dependencies, context, { org, first: query.first ?? '', second: query.second ?? '' }),
  );
}

async function loadEnvironment(
  dependencies: RouteDependencies,
  {
    caller,
    name,
    page,
    now,
  }: { readonly caller: Caller; readonly name: string; readonly page: number; readonly now: number },
): Promise<EnvironmentView> {
  const { org } = caller;
  const overview = await findEnvironment(dependencies, { org, name });
  const found = await findSnapshot(dependencies, { org, environment: name, selector: { kind: 'latest' }, now });
  if (overview === undefined || found.outcome === 'environment not found') {
    throw new ApiError(namedEnvironmentNotFound, { values: { org, environment: name } });
  }
  const list = async (number: number, size: number): Promise<readonly SnapshotSummary[]> => {
    const part = { page: number, size, ascending: false };
    const listed = await listSnapshots(dependencies, { org, environment: name, page: part, now });
    return listed?.snapshots ?? [];
  };
  const since = (await findVerdictTimes(dependencies, { org, environments: [name] })).get(name);
  return {
    ...{ overview: toReadableEnvironment(caller, overview), since, page, perPage: snapshotsOnPage },
    latest: found.outcome === 'found' ? toReadableSnapshot(caller, found) : toMissing(found),
    recent: await list(1, snapshotsOnTimeline),
    snapshots: await list(page, snapshotsOnPage),
  };
}

/** Why there is no latest snapshot to show. */
function toMissing({ outcome }: { readonly outcome: 'too large' | 'no such snapshot' }): EnvironmentView['latest'] {
  return outcome === 'too large' ? outcome : 'none';
}

async function compare(
  dependencies: RouteDependencies,
  context: PageContext,
  { org, first, second }: { readonly org: string; readonly first: string; readonly second: string },
): Promise<Page> {
  if (first === '' || second === '') return toFailedComparisonPage(context, { org, first, second, problem: undefined });
  try {
    const one = parseExpression({ org, name: 'first', expression: first });
    const other = parseExpression({ org, name: 'second', expression: second });
    const found = await findComparedSnapshots(dependencies, {
      ...{ org, first: one.readings, second: other.readings, now: context.now },
    });
    return toComparisonPage(context, {
      org,
      first: { expression: first, snapshot: requireSnapshot(one, found.first) },
      second: { expression: second, snapshot: requireSnapshot(other, found.second) },
      provenance: found.provenance,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const details = Object.entries(error.body.errors ?? {}).map(
      ([field, rule]) => `${field.replace('query.', '')} ${rule}`,
    );
    const problem = [error.body.message, ...details].join('; ');
    return toFailedComparisonPage(context, { org, first, second, problem });
  }
}

const environmentPath = Type.Object({ org: orgName, env_name: environmentName });
const environmentQuery = Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })) });

const snapshotPath = Type.Object({
  org: orgName,
  env_name: environmentName,
  index: Type.Integer({ minimum: 1, maximum: 999_999_999 }),
});

const comparisonQuery = Type.Object({
  first: Type.Optional(Type.String({ maxLength: 300 })),
  second: Type.Optional(Type.String({ maxLength: 300 })),
});

const snapshotNotFound: ErrorResponse = {
  status: 404,
  message: "Snapshot {index} of environment '{env_name}' does not exist in organization '{org}'",
  when: 'There is no such environment, or it has no snapshot with that number.',
};

const snapshotTooLarge: ErrorResponse = {
  status: 400,
  message:
    "The members of environment '{env_name}' have too many artifacts for one page; open the snapshots of each member",
  when: 'The members of a logical environment have very many artifacts.',
};
