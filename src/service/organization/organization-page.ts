import { listEnvironments } from '../../contract/environment-list.ts';
import { listFlows } from '../../contract/flow.ts';
import { listTrails } from '../../contract/trail-list.ts';
import type { FlowOverview } from '../trail/trail-state-use-cases.ts';
import type { EnvironmentOverview } from '../snapshot/snapshot.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import {
  clip,
  pageLink,
  renderBadge,
  renderEmpty,
  renderTime,
  renderTimeOrNever,
  renderVerdict,
} from '../platform/pages/components.ts';
import { html, type Hole, type Html } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { renderSentences } from '../attestation/evidence-html.ts';
import { renderTable } from '../platform/pages/table.ts';

/** An environment with the time since which it has its verdict, in Unix seconds. */
export interface JudgedEnvironment {
  readonly environment: EnvironmentOverview;
  readonly since: number | undefined;
}

/** What the overview of an organization shows. */
export interface OrganizationOverview {
  readonly org: string;
  readonly flows: readonly FlowOverview[];
  readonly totalFlows: number;
  readonly environments: readonly JudgedEnvironment[];
  /** Why each environment that needs attention is not compliant, by its name. */
  readonly reasons: ReadonlyMap<string, readonly JudgementReason[]>;
}

/** The maximum number of environments and trails that need attention. */
const maximumAttention = 20;

/** The maximum number of reasons for each of them. Its own page has all. */
const maximumShownReasons = 3;

/** Creates the overview of an organization: what needs attention, then its flows and environments. */
export function toOrganizationPage(context: PageContext, overview: OrganizationOverview): Page {
  const { org, flows, totalFlows, environments } = overview;
  const { paths } = context;
  return {
    title: org,
    kind: 'Organization',
    section: 'overview',
    api: [
      apiRequest(listEnvironments, { org }),
      apiRequest(listFlows, { org }),
      apiRequest(listTrails, { org }, { flow: flows[0]?.flow.name }),
    ],
    content: html`<h2>Needs attention</h2>
      ${renderAttention(context, overview)}
      <h2>Flows</h2>
      ${renderFlows(
        context,
        org,
        flows.toSorted((one, other) => urgency(one) - urgency(other)),
      )}
      ${totalFlows > flows.length ? html`<p>${pageLink(paths.flows(org), `All ${totalFlows} flows`)}</p>` : undefined}
      <h2>Environments</h2>
      ${renderEnvironments(context, org, environments)}`,
  };
}

/** Flows whose latest trail does not comply come first, then incomplete ones; the others stay sorted by name. */
function urgency({ trails: [latest] }: FlowOverview): number {
  if (latest === undefined) return 3;
  return { 'NON-COMPLIANT': 0, INCOMPLETE: 1, COMPLIANT: 2 }[latest.judgement.state];
}

/** The environments that need attention: those that do not comply. */
export function listFailing(environments: readonly JudgedEnvironment[]): readonly JudgedEnvironment[] {
  return environments.filter(({ environment }) => environment.compliant === false).slice(0, maximumAttention);
}

function renderAttention(context: PageContext, { org, flows, environments, reasons }: OrganizationOverview): Html {
  const { paths } = context;
  const failed = flows.filter(({ trails }) => trails[0]?.judgement.state === 'NON-COMPLIANT');
  const items = [
    ...listFailing(environments).map(({ environment: { name }, since }) => {
      const time = since === undefined ? undefined : html` since ${renderTime(since, context)}`;
      return html`<li>
        ${renderBadge('NON-COMPLIANT')} Environment ${pageLink(paths.environment(org, name), name)}${time}:
        ${renderSentences(context, org, reasons.get(name) ?? [], maximumShownReasons)}
      </li>`;
    }),
    ...failed.map(({ flow, trails: [latest] }) => {
      if (latest === undefined) return html``;
      const { trail, judgement } = latest;
      return html`<li>
        ${renderBadge('NON-COMPLIANT')} Trail ${pageLink(paths.trail(org, flow.name, trail.name), trail.name)} of the
        flow ${pageLink(paths.flow(org, flow.name), flow.name)}:
        ${renderSentences(context, org, judgement.reasons, maximumShownReasons)}
      </li>`;
    }),
  ];
  if (items.length > 0)
    return html`<ul class="plain">
      ${items.slice(0, maximumAttention)}
    </ul>`;
  return renderEmpty('Nothing: no environment and no latest trail of a flow is known not to comply.');
}

/** Renders flows with the states of their latest trails. */
export function renderFlows(context: PageContext, org: string, flows: readonly FlowOverview[]): Html {
  const { paths } = context;
  return renderTable({
    label: 'Flows',
    columns: ['Flow', 'Latest trails, the latest first', 'Latest trail', 'Begun'],
    rows: flows.map(({ flow, trails }): readonly Hole[] => [
      html`${pageLink(paths.flow(org, flow.name), flow.name)}
      ${flow.description === '' ? undefined : html`<br /><small>${clip(flow.description, 160)}</small>`}`,
      html`<span class="strip"
        >${trails.map(
          ({ trail, judgement }) =>
            html`<a href="${paths.trail(org, flow.name, trail.name)}" title="${trail.name}"
              >${renderBadge(judgement.state)}</a
            >`,
        )}</span
      >`,
      trails[0] === undefined
        ? 'no trail yet'
        : pageLink(paths.trail(org, flow.name, trails[0].trail.name), clip(trails[0].trail.name, 40)),
      trails[0] === undefined ? '' : renderTime(trails[0].trail.createdAt, context),
    ]),
    empty: renderEmpty(
      html`There is no flow yet. A step with <code>operation: create-flow</code> creates one; then report trails,
        artifacts and evidence to it.`,
    ),
  });
}

const rank = ({ environment: { compliant } }: JudgedEnvironment): number =>
  compliant === false ? 0 : compliant === null ? 2 : 1;

/** Renders environments with their verdicts, those that do not comply first. */
export function renderEnvironments(
  context: PageContext,
  org: string,
  environments: readonly JudgedEnvironment[],
): Html {
  const { paths } = context;
  const sorted = environments.toSorted((one, other) => rank(one) - rank(other));
  return renderTable({
    label: 'Environments',
    columns: ['Environment', 'Verdict', 'Since', 'Kind', 'Last report', 'Last change'],
    rows: sorted.map(({ environment, since }): readonly Hole[] => [
      pageLink(paths.environment(org, environment.name), environment.name),
      environment.latest === 0 ? 'No report yet' : renderVerdict(environment.compliant),
      since === undefined ? '' : renderTime(since, context),
      environment.kind,
      environment.kind === 'logical' ? 'by its members' : renderTimeOrNever(environment.lastReportedAt, context),
      renderTimeOrNever(environment.lastChangedAt, context),
    ]),
    empty: renderEmpty(
      html`There is no environment yet. A step with <code>operation: create-environment</code> creates one; then report
        what runs in it.`,
    ),
  });
}
