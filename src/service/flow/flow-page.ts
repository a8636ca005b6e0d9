import { artifactStates, type ArtifactState } from '../../contract/compliance.ts';
import { getFlow, listFlows } from '../../contract/flow.ts';
import { listTrails } from '../../contract/trail-list.ts';
import { type TrailStates, listFlowOverviews, listTrailStates } from '../trail/trail-state-use-cases.ts';
import { evidenceName } from '../attestation/evidence-scope.ts';
import type { CountedAttestation } from '../attestation/attestation.ts';
import type { Flow } from './flow.ts';
import { countNames } from '../template/template.ts';
import { listColumns, toMatrixRow, type MatrixCell, type MatrixRow } from '../trail/trail-matrix.ts';
import { renderPackageForm } from '../audit-package/audit-package-html.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
import { renderAnnotations, renderMissing } from '../attestation/evidence-html.ts';
import {
  clip,
  describeState,
  pageLink,
  renderBadge,
  renderEmpty,
  renderFacts,
  renderPageLinks,
  renderPager,
  renderTime,
} from '../platform/pages/components.ts';
import { html, link, type Hole, type Html } from '../platform/pages/html.ts';
import { renderFlows } from '../organization/organization-page.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';
import { namedFlowNotFound } from '../../contract/errors.ts';
import { flowName, orgName } from '../../contract/names.ts';
import { Type } from '../../contract/schema.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
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
      return toFlowListPage(context, { org, search: name, page }, found);
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

/**
 * Creates the list of flows.
 *
 * @param search a part of the name
 */
function toFlowListPage(
  context: PageContext,
  { org, search, page }: { readonly org: string; readonly search: string; readonly page: number },
  { flows, total }: Awaited<ReturnType<typeof listFlowOverviews>>,
): Page {
  const { paths } = context;
  const perPage = flowsOnPage;
  return {
    title: 'Flows',
    section: 'flows',
    api: [apiRequest(listFlows, { org }, { search_by_name: search, page, per_page: perPage })],
    content: html`<form class="filters" method="get" action="${paths.flows(org)}">
        <label>Part of the name <input name="name" maxlength="255" value="${search}" /></label>
        <button>Filter</button>
      </form>
      ${
        flows.length === 0 && search !== ''
          ? renderEmpty(html`No flow has a name with “${search}”. ${pageLink(paths.flows(org), 'Show all flows')}`)
          : renderFlows(context, org, flows)
      }
      ${renderPageLinks({ page, perPage, total }, (number) => withQuery(paths.flows(org), { name: search, page: number }))}`,
  };
}

/** What the page of a flow shows. */
export interface FlowView {
  readonly states: TrailStates;
  readonly namePrefix: string;
  readonly state: ArtifactState | undefined;
  /** The number of trails before the first one that was examined. */
  readonly offset: number;
  readonly limit: number;
}

/** The maximum number of columns, so that a page of trails stays below its limit. */
const maximumColumns = 15;

/** Creates the page of a flow: its trails, and the state of the required evidence in each. */
export function toFlowPage(context: PageContext, view: FlowView): Page {
  const { flow, trails, next, total } = view.states;
  const { org, name } = flow;
  const { paths } = context;
  const { namePrefix, state, offset, limit } = view;
  const rows = trails.map((one) => ({ ...one, row: toMatrixRow(one) }));
  const columns = listColumns(rows.map(({ row }) => row));
  const shown = columns.slice(0, maximumColumns);
  // With a filter by state, pages have different lengths, so the one before is not known.
  const previous = state === undefined ? Math.max(0, offset - limit) : 0;
  const at = (start: number | undefined): string | undefined =>
    start === undefined ? undefined : withQuery(paths.flow(org, name), { name: namePrefix, state, offset: start });
  return {
    title: name,
    kind: 'Flow',
    section: 'flows',
    crumbs: [{ name: 'Flows', path: paths.flows(org) }],
    api: [
      apiRequest(listTrails, { org }, { flow: name, page: Math.floor(offset / limit) + 1, per_page: limit }),
      apiRequest(getFlow, { org, flow_name: name }),
    ],
    content: html`${renderFlowFacts(context, flow, total)} ${renderFilters(paths.flow(org, name), view)}
    ${renderTable({
      label: 'Trails and their evidence',
      className: 'matrix',
      columns: ['Trail', 'State', ...shown.map((column) => clip(column, 60)), 'Extra', 'Begun'],
      rows: rows.map(({ trail, judgement, row }): readonly Hole[] => [
        pageLink(paths.trail(org, name, trail.name), clip(trail.name, 48)),
        renderBadge(judgement.state),
        ...shown.map((column) => renderCell(context, row.cells.get(column))),
        renderExtra(context, row),
        renderTime(trail.createdAt, context),
      ]),
      empty: renderNoTrails(context, view),
      maximumBytes: 60_000,
    })}
    ${
      columns.length > shown.length
        ? html`<p>${columns.length - shown.length} more requirements are on the pages of the trails.</p>`
        : undefined
    }
    ${renderPager(
      offset > 0 ? at(previous) : undefined,
      at(next),
      trails.length === 0 ? '' : `${trails.length} of ${total} trails`,
    )}
    ${renderPackageForm(paths.flow(org, name))}`,
  };
}

function renderFlowFacts(context: PageContext, flow: Flow, total: number): Html {
  const repository = flow.repoUrl ?? undefined;
  return renderFacts([
    ['Description', flow.description],
    ['Archived', flow.isArchived ? 'lists leave it out, and nothing is recorded in it' : undefined],
    ['Tags', renderAnnotations(flow.tags)],
    ['Repository', repository === undefined ? undefined : link(repository, repository)],
    ['Required by the template', `${countNames(flow.template)} names`],
    ['Trails', String(total)],
    ['Last change of the flow', renderTime(flow.lastModifiedAt, context)],
  ]);
}

function renderFilters(action: string, { namePrefix, state }: FlowView): Html {
  const options = artifactStates.map(
    (one) => html`<option value="${one}" ${one === state ? html`selected` : undefined}>${describeState(one)}</option>`,
  );
  return html`<form class="filters" method="get" action="${action}">
    <label>Name begins with <input name="name" maxlength="255" value="${namePrefix}" /></label>
    <label
      >State
      <select name="state">
        <option value="">Any</option>
        ${options}
      </select></label
    >
    <button>Filter</button>
  </form>`;
}

function renderNoTrails(context: PageContext, { namePrefix, state, states }: FlowView): Html {
  const { flow, next } = states;
  const all = pageLink(context.paths.flow(flow.org, flow.name), 'Show all trails');
  if (next !== undefined)
    return renderEmpty(html`None of these trails is in this state. Older ones are on the next page. ${all}`);
  if (namePrefix !== '' || state !== undefined) return renderEmpty(html`No trail is selected by this filter. ${all}`);
  return renderEmpty(
    html`There is no trail yet. The first report to the flow creates one: a step with
      <code>operation: begin-trail</code>, <code>attest-artifact</code> or another <code>attest-…</code>.`,
  );
}

function renderCell(context: PageContext, cell: MatrixCell<CountedAttestation> | undefined): Hole {
  if (cell === undefined) return '';
  const [piece] = cell.evidence;
  if (piece !== undefined) {
    const badge = cell.state === 'missing' ? renderMissing(piece) : renderBadge(cell.state);
    return pageLink(attestationPath(context, piece), badge);
  }
  // An artifact, which is judged by its evidence in other columns.
  return renderBadge(cell.state, cell.state === 'compliant' ? 'Reported' : undefined);
}

/** The maximum number of pieces of extra evidence that are named. */
const maximumExtra = 2;

function renderExtra(context: PageContext, { extra }: MatrixRow<CountedAttestation>): Hole {
  const named = extra.slice(0, maximumExtra).map((piece) => {
    const words = clip(evidenceName(piece.name), 30);
    return html`<a href="${attestationPath(context, piece)}"
      >${renderBadge(piece.verdict === 'compliant' ? 'extra' : piece.verdict, words)}</a
    > `;
  });
  return html`${named}${extra.length > maximumExtra ? `and ${extra.length - maximumExtra} more` : ''}`;
}

function attestationPath({ paths }: PageContext, { org, flow, trail, id }: CountedAttestation): string {
  return paths.attestation(org, flow, trail, id);
}
