import { artifactStates } from '../../contract/compliance.ts';
import { namedFlowNotFound } from '../../contract/errors.ts';
import { flowName, orgName } from '../../contract/names.ts';
import { Type } from '../../contract/schema.ts';
import { listFlowOverviews, listTrailStates } from '../trail/trail-state-use-cases.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { toFlowListPage, toFlowPage } from './flow-page.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';

/** How many flows are on a page of the list. */
const flowsOnPage = 20;

/** How many trails of each flow are on a page of the list. */
const trailsOfFlow = 5;

/** How many trails are on a page of a flow. */
const trailsOnPage = 25;

const listQuery = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 255 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
});

const flowQuery = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 255 })),
  // A form sends an empty state for any.
  state: Type.Optional(Type.Enum([...artifactStates, ''])),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
});

/** Adds the list of flows, and the page of a flow. */
export function addFlowPages(host: PageHost): void {
  const { dependencies } = host;

  addPage(
    host,
    { url: '/:org/flows', path: orgPath, query: listQuery },
    async ({ path: { org }, query: { name = '', page = 1 }, context }) => {
      const part = { offset: (page - 1) * flowsOnPage, limit: flowsOnPage, trails: trailsOfFlow };
      const search = name === '' ? undefined : name;
      const found = await listFlowOverviews(dependencies, { org, search, isCaseSensitive: false, ...part });
      return toFlowListPage(context, { org, ...found, search: name, page, perPage: flowsOnPage });
    },
  );

  const flowPath = Type.Object({ org: orgName, flow_name: flowName });
  addPage(
    host,
    { url: '/:org/flows/:flow_name', path: flowPath, query: flowQuery },
    async ({ path: { org, flow_name: flow }, query, context }) => {
      const { name: namePrefix = '', offset = 0 } = query;
      const state = artifactStates.find((one) => one === query.state);
      const states = await listTrailStates(dependencies, {
        ...{ org, flow, state, offset, limit: trailsOnPage },
        namePrefix: namePrefix === '' ? undefined : namePrefix,
      });
      if (states === undefined) throw new ApiError(namedFlowNotFound, { values: { org, flow } });
      return toFlowPage(context, { states, namePrefix, state, offset, limit: trailsOnPage });
    },
  );
}
