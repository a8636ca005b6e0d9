import { artifactStates } from '../../contract/compliance.ts';
import { namedFlowNotFound } from '../../contract/errors.ts';
import { flowName, orgName } from '../../contract/names.ts';
import { Type, type Static } from '../../contract/schema.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { daysQuery, readDays } from '../platform/pages/days.ts';
import { exportList, type ExportedRow } from '../platform/pages/list-export.ts';
import { addAuthenticated, type PageHost } from '../platform/pages/page-host.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { validatePath, validateQuery } from '../platform/server/validation.ts';
import type { TrailSelection } from '../trail/trail-records.ts';
import { listTrailStates, type TrailStateQuery } from '../trail/trail-state-use-cases.ts';
import { findFlow } from './flow-use-cases.ts';

export const flowPath = Type.Object({ org: orgName, flow_name: flowName });

// A form sends an empty text for a filter that is not set.
const shortText = Type.Optional(Type.String({ maxLength: 255 }));
export const selectionQuery = {
  ...daysQuery.properties,
  ...{ name: shortText, branch: shortText, author: shortText },
  state: Type.Optional(Type.Enum([...artifactStates, ''])),
};
const exportQuery = Type.Object({ ...selectionQuery, format: Type.Enum(['csv', 'json']) });

/** The filters that are set, as parameters of the address. */
export type SelectionQuery = Omit<Static<typeof exportQuery>, 'format'>;

export function toSelection(query: SelectionQuery): TrailSelection {
  const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
  const { from, to } = readDays(query);
  return {
    namePrefix: given(query.name),
    state: artifactStates.find((one) => one === query.state),
    branch: given(query.branch),
    author: given(query.author),
    from,
    // Until the end of its last second.
    to: to === undefined ? undefined : to + 1,
  };
}

/** Adds the list of the trails of a flow as a file, with the access of its page. */
export function addTrailListExport(host: PageHost): void {
  const { dependencies } = host;
  const mayRead = requireRole(dependencies, 'read');
  addAuthenticated(host, '/:org/flows/:flow_name/trail-list', mayRead, async (request, reply) => {
    const { org, flow_name: flow } = validatePath<typeof flowPath>(flowPath, request.params);
    const { format, ...selected } = validateQuery<typeof exportQuery>(exportQuery, request.query);
    const now = unixSeconds(dependencies.now());
    const { to = now, ...selection } = toSelection(selected);
    const query = { org, flow, selection: { ...selection, to: Math.min(to, now) } };
    if ((await findFlow(dependencies, { org, name: flow })) === undefined)
      throw new ApiError(namedFlowNotFound, { values: { org, flow } });
    const rows = exportTrails(dependencies, query);
    const failed = (error: unknown): void => {
      dependencies.log.error(`a list of trails of ${org} could not be sent to its end`, error);
    };
    return exportList({ format, name: `trails-${flow}`, columns: exportedColumns, rows, failed }).send(reply);
  });
}

const exportedColumns = [
  ...['name', 'state', 'state_info', 'created_at', 'message', 'commit', 'author', 'branch', 'pull_request', 'html_url'],
];

async function* exportTrails(
  dependencies: RouteDependencies,
  query: Pick<TrailStateQuery, 'org' | 'flow' | 'selection'>,
): AsyncGenerator<ExportedRow> {
  const limit = 100;
  let { to } = query.selection;
  let offset = 0;
  for (;;) {
    const part = { ...query, selection: { ...query.selection, to }, offset, limit };
    const { trails = [] } = (await listTrailStates(dependencies, part)) ?? {};
    for (const { trail, judgement, pullRequest } of trails) {
      const { sha1: commit, message, author, branch } = trail.report.git_commit_info ?? {};
      yield {
        ...{ name: trail.name, state: judgement.state, state_info: judgement.info },
        created_at: new Date(trail.createdAt * 1000).toISOString(),
        ...{ message, commit, author, branch, pull_request: pullRequest?.url },
        html_url: dependencies.links.pages.trail(trail.org, trail.flow, trail.name),
      };
    }
    const last = trails.at(-1)?.trail.createdAt;
    if (last === undefined || trails.length < limit) return;
    // Continues at the time of the last trail, because a large offset is slow.
    const same = trails.filter(({ trail }) => trail.createdAt === last).length;
    offset = same === limit ? offset + same : same;
    to = same === limit ? to : last + 1e-6;
  }
}
