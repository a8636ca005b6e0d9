import { artifactStates } from '../../contract/compliance.ts';
import { flowName, orgName } from '../../contract/names.ts';
import { type Static, Type } from '../../contract/schema.ts';
import { daysQuery, readDays } from '../platform/pages/days.ts';
import { type ExportedList, toList, toTime } from '../platform/pages/list-export.ts';
import { flowMissing } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { TrailSelection } from '../trail/trail-records.ts';
import { type ListedTrail, listTrailStates, type TrailStateQuery } from '../trail/trail-state-use-cases.ts';

export const flowPath = Type.Object({ org: orgName, flow_name: flowName });

// A form sends an empty text for a filter that is not set.
const shortText = Type.Optional(Type.String({ maxLength: 255 }));
export const selectionQuery = Type.Object({
  ...daysQuery.properties,
  ...{ name: shortText, branch: shortText, author: shortText, fault: shortText },
  state: Type.Optional(Type.Enum([...artifactStates, ''])),
});

/** The filters that are set, as parameters of the address. */
export type SelectionQuery = Static<typeof selectionQuery>;

export function toSelection(query: SelectionQuery): TrailSelection {
  const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
  const { from, to } = readDays(query);
  return {
    namePrefix: given(query.name),
    state: artifactStates.find((one) => one === query.state),
    branch: given(query.branch),
    author: given(query.author),
    fault: given(query.fault),
    from,
    // To include the whole last second.
    to: to === undefined ? undefined : to + 1,
  };
}

export function listExportedTrails(
  dependencies: RouteDependencies,
  query: Pick<TrailStateQuery, 'org' | 'flow' | 'selection'>,
): ExportedList {
  return toList(readTrails(dependencies, query), {
    name: ({ trail }) => trail.name,
    state: ({ judgement }) => judgement.state,
    state_info: ({ judgement }) => judgement.info,
    created_at: ({ trail }) => toTime(trail.createdAt),
    message: ({ trail }) => trail.report.git_commit_info?.message,
    commit: ({ trail }) => trail.report.git_commit_info?.sha1,
    author: ({ trail }) => trail.report.git_commit_info?.author,
    branch: ({ trail }) => trail.report.git_commit_info?.branch,
    pull_request: ({ pullRequest }) => pullRequest?.url,
    html_url: ({ trail }) => dependencies.links.pages.trail(trail.org, trail.flow, trail.name),
  });
}

async function* readTrails(
  dependencies: RouteDependencies,
  query: Pick<TrailStateQuery, 'org' | 'flow' | 'selection'>,
): AsyncGenerator<ListedTrail> {
  const limit = 100;
  let { to } = query.selection;
  let offset = 0;
  for (;;) {
    const part = { ...query, selection: { ...query.selection, to }, offset, limit };
    const found = await listTrailStates(dependencies, part);
    // It was renamed meanwhile, so the rest cannot be sent.
    if (found === undefined) throw flowMissing(query.org, query.flow);
    const { trails } = found;
    yield* trails;
    const last = trails.at(-1)?.trail.createdAt;
    if (last === undefined || trails.length < limit) return;
    // Continues at the time of the last trail: a large offset is slow, and trails that begin meanwhile would shift it.
    const same = trails.filter(({ trail }) => trail.createdAt === last).length;
    offset = same === limit ? offset + same : same;
    if (same < limit || to === undefined) to = last + 1e-6;
  }
}
