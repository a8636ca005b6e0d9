import { firstLine } from '../../contract/commit.ts';
import { artifactStates } from '../../contract/compliance.ts';
import { namedFlowNotFound } from '../../contract/errors.ts';
import { getFlow, listFlows } from '../../contract/flow.ts';
import { Type } from '../../contract/schema.ts';
import { listTrails } from '../../contract/trail-list.ts';
import type { CountedAttestation } from '../attestation/attestation.ts';
import { renderAnnotations } from '../attestation/evidence-html.ts';
import { evidenceName } from '../attestation/evidence-scope.ts';
import { renderPackageForm } from '../audit-package/audit-package-html.ts';
import { renderFlows } from '../organization/organization-page.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
import {
  clip,
  describeExactly,
  describeState,
  pageLink,
  renderBadge,
  renderCommit,
  renderDownloads,
  renderEmpty,
  renderFacts,
  renderIcon,
  renderLegend,
  renderPageLinks,
  renderPager,
  renderTime,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html, link } from '../platform/pages/html.ts';
import { type ExportedList, readInParts, toList, toTime } from '../platform/pages/list-export.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import { defaultTrendChoice, toTrendChoice, toTrendQuery, trendQuery } from '../platform/pages/trend-html.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { countNames } from '../template/template.ts';
import { listColumns, type MatrixCell, type MatrixRow, toMatrixRow } from '../trail/trail-matrix.ts';
import { toIndexed } from '../trail/trail-records.ts';
import {
  type FlowOverview,
  type ListedTrail,
  listFlowOverviews,
  listTrailStates,
  maximumCounted,
  type TrailStates,
} from '../trail/trail-state-use-cases.ts';
import type { Flow } from './flow.ts';
import { type DeliveryView, renderDelivery, renderRate } from './flow-delivery-html.ts';
import { loadFlowDelivery } from './flow-delivery-use-cases.ts';
import { flowPath, listExportedTrails, selectionQuery, toSelection } from './trail-list-page.ts';

const flowsOnPage = 20;

const trailsOfFlow = 5;

const trailsOnPage = 25;

const listQuery = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 255 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
});

const flowQuery = Type.Object({
  ...selectionQuery.properties,
  ...trendQuery.properties,
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
});

export function addFlowPages(host: PageHost): void {
  const { dependencies } = host;

  addPage(
    host,
    {
      ...{ url: '/:org/flows', path: orgPath, query: listQuery },
      lists: { flows: ({ path: { org }, query: { name } }) => listExportedFlows(dependencies, org, name) },
    },
    async ({ path: { org }, query: { name = '', page = 1 }, context }) => {
      const part = { offset: (page - 1) * flowsOnPage, limit: flowsOnPage, trails: trailsOfFlow };
      const search = name === '' ? undefined : name;
      const query = { org, search, isCaseSensitive: false, choice: defaultTrendChoice, ...part };
      const found = await listFlowOverviews(dependencies, query);
      return toFlowListPage(context, { org, search: name, page }, found);
    },
  );

  addPage(
    host,
    {
      ...{ url: '/:org/flows/:flow_name', path: flowPath, query: flowQuery },
      lists: {
        trails: async ({ path: { org, flow_name: flow }, query }) => {
          if (!(await dependencies.storage.read(({ flows }) => flows.exists(org, flow))))
            throw new ApiError(namedFlowNotFound, { values: { org, flow } });
          return listExportedTrails(dependencies, { org, flow, selection: toSelection(query) });
        },
      },
    },
    async ({ path: { org, flow_name: flow }, query, context, caller }) => {
      const { offset = 0, days, branches, ...selected } = query;
      const choice = toTrendChoice({ days, branches });
      const selection = toSelection(selected);
      const states = await listTrailStates(dependencies, { org, flow, selection, offset, limit: trailsOnPage });
      if (states === undefined) throw new ApiError(namedFlowNotFound, { values: { org, flow } });
      const delivery = await loadFlowDelivery(dependencies, caller, flow, choice);
      return toFlowPage(context, { states, delivery, choice, selected, offset });
    },
  );
}

function listExportedFlows(dependencies: RouteDependencies, org: string, search?: string): ExportedList {
  const flows = readInParts<FlowOverview>(async ({ limit }, last) => {
    const filter = { search: search === '' ? undefined : search, isCaseSensitive: false, after: last?.flow.name };
    const query = { org, ...filter, trails: 1, choice: defaultTrendChoice, offset: 0, limit };
    return (await listFlowOverviews(dependencies, query)).flows;
  });
  return toList(flows, {
    name: ({ flow }) => flow.name,
    description: ({ flow }) => flow.description,
    latest_trail: ({ trails: [latest] }) => latest?.trail.name,
    state: ({ trails: [latest] }) => latest?.judgement.state,
    state_info: ({ trails: [latest] }) => latest?.judgement.info,
    begun_at: ({ trails: [latest] }) => toTime(latest?.trail.createdAt),
    html_url: ({ flow }) => dependencies.links.pages.flow(org, flow.name),
  });
}

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
          : renderFlows(context, org, flows, defaultTrendChoice)
      }
      ${renderPageLinks({ page, perPage, total }, (number) => withQuery(paths.flows(org), { name: search, page: number }))}
      ${renderDownloads('All flows', 'flows', paths.flows(org), { name: search })}`,
  };
}

interface FlowView extends DeliveryView {
  readonly states: TrailStates;
  /** The number of selected trails before the first one. */
  readonly offset: number;
}

/** The maximum number of columns, so that a page of trails stays below its limit. */
const maximumColumns = 15;

const evidenceStates = ['compliant', 'non-compliant', 'incomplete', 'missing'] as const;

/** Creates the page of a flow: its trails, and the state of the required evidence in each. */
function toFlowPage(context: PageContext, view: FlowView): Page {
  const { flow, trails, total, isRejudged } = view.states;
  const { org, name } = flow;
  const { paths } = context;
  const { selected, choice, offset } = view;
  const rows = trails.map((one) => ({ ...one, row: toMatrixRow(one) }));
  const columns = listColumns(rows.map(({ row }) => row));
  const shown = columns.slice(0, maximumColumns);
  const at = (start: number): string =>
    withQuery(paths.flow(org, name), { ...selected, ...toTrendQuery(choice), offset: start });
  const count = total > maximumCounted ? `${maximumCounted.toLocaleString('en')}+` : String(total);
  const fixed = ['Message', 'State', 'Commit', 'Author', 'Branch', 'Pull request'];
  const labels = [...fixed, ...shown.map((column) => clip(column, 60)), 'Extra', 'Begun'];
  const upright = (label: string): Html => html`<div class="upright" title="${label}">${label}</div>`;
  return {
    title: name,
    kind: 'Flow',
    section: 'flows',
    isWide: true,
    crumbs: [{ name: 'Flows', path: paths.flows(org) }],
    api: [
      apiRequest(
        listTrails,
        { org },
        { flow: name, page: Math.floor(offset / trailsOnPage) + 1, per_page: trailsOnPage },
      ),
      apiRequest(getFlow, { org, flow_name: name }),
    ],
    content: html`${renderFlowFacts(context, flow)} ${renderRate(context, flow, view)}
      <h2>Trails</h2>
      ${renderFilters(paths.flow(org, name), view)}
      ${
        isRejudged
          ? html`<p role="status">
              The trails of the flow are being judged again. Until that is done, the filter by state can miss some.
            </p>`
          : undefined
      }
      ${renderTable({
        label: 'Trails and their evidence',
        className: 'matrix commits',
        columns: labels.map((label, index) =>
          fixed[index] === label || index > labels.length - 3 ? label : upright(label),
        ),
        labels,
        rows: rows.map((one): readonly Hole[] => [
          ...renderCommitCells(context, one),
          ...shown.map((column) => renderCell(context, clip(column, 60), one.row.cells.get(column))),
          renderExtra(context, one.row),
          renderTime(one.trail.createdAt, context),
        ]),
        empty: describeNoTrails(context, view),
        maximumBytes: 110_000,
      })}
      ${
        trails.length === 0
          ? undefined
          : html`${renderLegend(evidenceStates)}
              <p>${offset + 1} to ${offset + trails.length} of ${count} trails</p>`
      }
      ${
        columns.length > shown.length
          ? html`<p>${columns.length - shown.length} more requirements are on the pages of the trails.</p>`
          : undefined
      }
      ${renderPager(
        offset > 0 ? at(Math.max(0, offset - trailsOnPage)) : undefined,
        offset + trails.length < total || (total > maximumCounted && trails.length === trailsOnPage)
          ? at(offset + trailsOnPage)
          : undefined,
        '',
      )}
      ${renderDownloads('All selected trails', 'trails', paths.flow(org, name), selected)}
      <h2>Delivery</h2>
      ${renderDelivery(context, flow, view)} ${renderPackageForm(paths.flow(org, name))}`,
  };
}

/** The trail as a commit: message, state, SHA, author, branch and pull request. */
function renderCommitCells(
  { paths }: PageContext,
  { trail: { org, flow, name, report }, judgement, since, pullRequest }: ListedTrail,
): readonly Hole[] {
  const { sha1, message, author, branch, url } = report.git_commit_info ?? {};
  const words = [firstLine(message), report.description, name].find((text = '') => text.trim() !== '') ?? name;
  const select = (field: 'author' | 'branch', value = '', shown = value): Hole =>
    value === ''
      ? ''
      : html`<a href="${withQuery(paths.flow(org, flow), { [field]: toIndexed(value) })}" title="${clip(value, 200)}"
          >${clip(shown, 60)}</a
        >`;
  return [
    html`<a href="${paths.trail(org, flow, name)}" title="${name}">${clip(words, 100)}</a>`,
    since === undefined
      ? renderBadge(judgement.state)
      : html`<span title="Since ${describeExactly(since)}">${renderBadge(judgement.state)}</span>`,
    sha1 === undefined ? '' : renderCommit({ sha1, url }),
    select('author', author, author?.replace(/\s*<[^<>]*>\s*$/u, '')),
    select('branch', branch),
    pullRequest === undefined ? '' : link(pullRequest.url, pullRequest.name),
  ];
}

function renderFlowFacts(context: PageContext, flow: Flow): Html {
  const repository = flow.repoUrl ?? undefined;
  return renderFacts([
    ['Description', flow.description],
    ['Archived', flow.isArchived ? 'lists leave it out, and nothing is recorded in it' : undefined],
    ['Tags', renderAnnotations(flow.tags)],
    ['Repository', repository === undefined ? undefined : link(repository, repository)],
    ['Required by the template', `${countNames(flow.template)} names`],
    ['Last change of the flow', renderTime(flow.lastModifiedAt, context)],
  ]);
}

function renderFilters(action: string, { selected, choice }: DeliveryView): Html {
  const options = artifactStates.map(
    (one) =>
      html`<option value="${one}" ${one === selected.state ? html`selected` : undefined}>
        ${describeState(one)}
      </option>`,
  );
  const field = (
    label: string,
    name: 'name' | 'branch' | 'author' | 'fault' | 'from' | 'to',
    type: 'text' | 'date',
  ): Html =>
    html`<label
      >${label} <input name="${name}" type="${type}" maxlength="255" value="${selected[name] ?? ''}"
    /></label>`;
  const kept = Object.entries(toTrendQuery(choice)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return html`<form class="filters" method="get" action="${action}">
    ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${field('Name begins with', 'name', 'text')}
    <label
      >State
      <select name="state">
        <option value="">Any</option>
        ${options}
      </select></label
    >
    ${field('Fails or is missing', 'fault', 'text')} ${field('Branch', 'branch', 'text')}
    ${field('Author', 'author', 'text')} ${field('From', 'from', 'date')} ${field('To', 'to', 'date')}
    <button>Filter</button>
  </form>`;
}

function describeNoTrails(context: PageContext, { selected, offset, states: { flow } }: FlowView): Html {
  const all = pageLink(context.paths.flow(flow.org, flow.name), 'Show all trails');
  if (offset > 0 || Object.values(selected).some((value) => value !== ''))
    return html`No trail is selected by this filter. ${all}`;
  return html`There is no trail yet. The first report to the flow creates one: a step with
    <code>operation: begin-trail</code>, <code>attest-artifact</code> or another <code>attest-…</code>.`;
}

function renderCell(context: PageContext, name: string, cell: MatrixCell<CountedAttestation> | undefined): Hole {
  if (cell === undefined) return '';
  const [piece] = cell.evidence;
  if (piece === undefined) {
    // An artifact. Other columns show the evidence that decides its verdict.
    return renderIcon(cell.state, `${name}: ${cell.state === 'compliant' ? 'Reported' : describeState(cell.state)}`);
  }
  const words = cell.state === 'missing' ? 'Does not count' : describeState(cell.state);
  return renderIcon(cell.state, `${name}: ${words}`, attestationPath(context, piece));
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
