import { firstLine } from '../../contract/commit.ts';
import type { ArtifactState } from '../../contract/compliance.ts';
import { listEnvironments } from '../../contract/environment-list.ts';
import { listFlows } from '../../contract/flow.ts';
import { listTrails } from '../../contract/trail-list.ts';
import { toDay } from '../../runtime/clock.ts';
import { renderSentences } from '../attestation/evidence-html.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import type { JudgedEnvironment } from '../environment/environment-reading-use-cases.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
import {
  clip,
  describeDuration,
  pageLink,
  renderBadge,
  renderEmpty,
  renderLinks,
  renderTime,
  renderTimeOrNever,
  renderVerdict,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';
import { renderTrend, renderTrendChoice, renderWeeks } from '../platform/pages/trend-html.ts';
import type { Trend, TrendChoice } from '../platform/rate.ts';
import type { TrailDetails } from '../trail/trail.ts';
import type { FaultCount } from '../trail/trail-records.ts';
import type { FlowOverview } from '../trail/trail-state-use-cases.ts';
import type { FlowTrend } from '../trail/trail-trend-use-cases.ts';

export interface OrganizationOverview {
  readonly org: string;
  readonly flows: readonly FlowOverview[];
  readonly totalFlows: number;
  readonly environments: readonly JudgedEnvironment[];
  /** Why each environment that needs attention is not compliant, by its name. */
  readonly reasons: ReadonlyMap<string, readonly JudgementReason[]>;
  /** What fails or is missing most. */
  readonly faults: readonly FaultCount[];
  readonly choice: TrendChoice;
}

/** The maximum number of environments and trails that need attention, and their maximum size, in bytes. */
const maximumAttention = 20;
const maximumAttentionBytes = 35_000;

/** The maximum number of reasons for each of them. Its own page has all. */
const maximumShownReasons = 3;

/** Creates the overview of an organization: what needs attention, then its flows and environments. */
export function toOrganizationPage(context: PageContext, overview: OrganizationOverview): Page {
  const { org, flows, totalFlows, environments, choice } = overview;
  const { paths } = context;
  const [empty, begun] = [
    flows.filter(({ trails }) => trails.length === 0),
    flows.filter(({ trails }) => trails.length > 0),
  ];
  return {
    title: org,
    kind: 'Organization',
    section: 'overview',
    api: [
      apiRequest(listEnvironments, { org }),
      apiRequest(listFlows, { org }),
      apiRequest(listTrails, { org }, { flow: flows[0]?.flow.name }),
    ],
    content: html`${renderTrendChoice(paths.organization(org), choice, true)}
      ${
        totalFlows > flows.length
          ? html`<p>This page is about the first ${flows.length} of ${totalFlows} flows, by name.</p>`
          : undefined
      }
      <h2>Needs attention</h2>
      ${renderAttention(context, overview)}
      <h2>Flows</h2>
      ${
        begun.length === 0 && empty.length > 0
          ? undefined
          : renderFlows(
              context,
              org,
              begun.toSorted((one, other) => urgency(one) - urgency(other)),
              choice,
            )
      }
      ${
        empty.length === 0
          ? undefined
          : html`<details>
              <summary>${empty.length} ${empty.length === 1 ? 'flow' : 'flows'} without trails</summary>
              <p>
                ${renderLinks(
                  empty.map(({ flow }) => flow.name),
                  (name) => paths.flow(org, name),
                  overviewLinks,
                )}
              </p>
            </details>`
      }
      ${totalFlows > flows.length ? html`<p>${pageLink(paths.flows(org), `All ${totalFlows} flows`)}</p>` : undefined}
      ${renderFaults(context, overview)}
      <h2>Environments</h2>
      ${renderEnvironments(context, org, environments, choice)}`,
  };
}

/** The maximum number of flows without trails that are named. */
const overviewLinks = 50;

/** Flows whose latest trail does not comply come first, then incomplete ones; the others stay sorted by name. */
function urgency({ trails: [latest] }: FlowOverview): number {
  if (latest === undefined) return 3;
  return { 'NON-COMPLIANT': 0, INCOMPLETE: 1, COMPLIANT: 2 }[latest.judgement.state];
}

const isFailing = ({ environment }: JudgedEnvironment): boolean => environment.compliant === false;

/** The environments that need attention and may be shown: those that do not comply. */
export function listFailing(environments: readonly JudgedEnvironment[]): readonly JudgedEnvironment[] {
  return environments.filter(isFailing).slice(0, maximumAttention);
}

/** Renders first what is not compliant, then what is incomplete. */
function renderAttention(context: PageContext, overview: OrganizationOverview): Html {
  const { org, flows, totalFlows, environments, reasons } = overview;
  const { paths } = context;
  const item = (state: ArtifactState, since: number | undefined, what: Html, why: readonly JudgementReason[]): Html => {
    const time = since === undefined ? undefined : html` (began ${renderTime(since, context)})`;
    return html`<li>
      ${renderBadge(state)} ${what}${time}: ${renderSentences(context, org, why, maximumShownReasons)}
    </li>`;
  };
  const ofFlows = (wanted: ArtifactState): readonly Html[] =>
    flows.flatMap(({ flow, trails: [latest] }) => {
      if (latest?.judgement.state !== wanted) return [];
      const { trail, judgement, since } = latest;
      const link = pageLink(paths.trail(org, flow.name, trail.name), describeTrail(latest));
      const what = html`Trail ${link} of the flow ${pageLink(paths.flow(org, flow.name), flow.name)}`;
      return [item(wanted, since, what, judgement.reasons)];
    });
  const items = [
    ...environments.filter(isFailing).map(({ environment: { name }, since }) => {
      const what = html`Environment ${pageLink(paths.environment(org, name), name)}`;
      return item('NON-COMPLIANT', since, what, reasons.get(name) ?? []);
    }),
    ...ofFlows('NON-COMPLIANT'),
    ...ofFlows('INCOMPLETE'),
  ];
  if (items.length === 0) {
    const which = totalFlows > flows.length ? 'these flows' : 'every flow';
    return renderEmpty(`Nothing: every environment that is judged and the latest trail of ${which} are compliant.`);
  }
  let room = maximumAttentionBytes;
  const shown = items.slice(0, maximumAttention).filter(({ text }) => (room -= Buffer.byteLength(text)) >= 0);
  const rest = items.length - shown.length;
  return html`<ul class="plain">
      ${shown}
    </ul>
    ${rest > 0 ? html`<p>And ${rest} more: see the states of the flows and environments.</p>` : undefined}`;
}

/** The first line of the message of its commit, else its name. */
function describeTrail({ trail: { name, report } }: TrailDetails): string {
  const subject = firstLine(report.git_commit_info?.message) ?? '';
  return clip(subject === '' ? name : subject, 60);
}

const countTrails = (count: number): string => `${count} ${count === 1 ? 'trail' : 'trails'}`;

export function renderFlowTrend({ branch, trend }: FlowTrend, days: number): Html {
  return html`${renderTrend(trend, days)}
    <small>${branch === undefined ? 'of' : html`on ${branch}, of`} ${countTrails(trend.current.total)}</small>`;
}

/** Renders flows with the states of their latest trails, and their trends. */
export function renderFlows(
  context: PageContext,
  org: string,
  flows: readonly FlowOverview[],
  { days }: TrendChoice,
): Html {
  const { paths } = context;
  const time = (seconds: number | undefined): Hole => (seconds === undefined ? '' : renderTime(seconds, context));
  return html`${renderTable({
    label: 'Flows',
    columns: ['Flow', 'State', `Compliant in ${days} days`, 'Latest trail', 'Begun', 'State since'],
    rows: flows.map(({ flow, trails, trend }): readonly Hole[] => [
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
      renderFlowTrend(trend, days),
      trails[0] === undefined
        ? 'no trail yet'
        : pageLink(paths.trail(org, flow.name, trails[0].trail.name), describeTrail(trails[0])),
      time(trails[0]?.trail.createdAt),
      time(trails[0]?.since),
    ]),
    empty: html`There is no flow yet. A step with <code>operation: create-flow</code> creates one; then report trails,
      artifacts and evidence to it.`,
    maximumBytes: 35_000,
  })}
  ${renderWeeks(
    'Compliant trails',
    flows.map(({ flow, trend }) => [flow.name, trend.trend]),
  )}`;
}

function renderFaults(context: PageContext, { org, flows, faults, choice }: OrganizationOverview): Html | undefined {
  if (faults.length === 0) return undefined;
  const trends = new Map(flows.map(({ flow, trend }) => [flow.name, trend]));
  return html`<h2>What fails or is missing most</h2>
    ${renderTable({
      label: 'What fails or is missing most',
      columns: ['Evidence or artifact', 'State', 'Flow', `Trails in ${choice.days} days`],
      rows: faults.map(({ flow, state, name, trails }): readonly Hole[] => {
        const { branch, trend } = trends.get(flow) ?? {};
        const from = toDay(trend?.weeks[0]?.from ?? context.now);
        const path = withQuery(context.paths.flow(org, flow), { state, fault: name, branch, from });
        return [
          clip(name, 120),
          state === 'NON-COMPLIANT' ? renderBadge(state, 'Fails') : renderBadge(state, 'Missing or inconclusive'),
          pageLink(context.paths.flow(org, flow), flow),
          pageLink(path, countTrails(trails)),
        ];
      }),
      maximumBytes: 8000,
    })}`;
}

const rank = ({ environment: { compliant } }: JudgedEnvironment): number =>
  compliant === false ? 0 : compliant === null ? 2 : 1;

/** Renders environments with their verdicts and trends, those that do not comply first. */
export function renderEnvironments(
  context: PageContext,
  org: string,
  environments: readonly JudgedEnvironment[],
  { days }: TrendChoice,
): Html {
  const { paths } = context;
  const sorted = environments.toSorted((one, other) => rank(one) - rank(other));
  return html`${renderTable({
    label: 'Environments',
    columns: [
      'Environment',
      'Verdict',
      'Since',
      `Compliant in ${days} days`,
      'Not compliant for',
      'Kind',
      'Last report',
    ],
    rows: sorted.map(({ environment, since, trend }): readonly Hole[] => [
      pageLink(paths.environment(org, environment.name), environment.name),
      environment.latest === 0 ? 'No report yet' : renderVerdict(environment.compliant),
      since === undefined ? '' : renderTime(since, context),
      renderTrend(trend, days),
      describeNonCompliantTime(trend),
      environment.kind,
      environment.kind === 'logical' ? 'by its members' : renderTimeOrNever(environment.lastReportedAt, context),
    ]),
    empty: html`There is no environment yet. A step with <code>operation: create-environment</code> creates one; then
      report what runs in it.`,
  })}
  ${renderWeeks(
    'Compliant time',
    sorted.map(({ environment, trend }) => [environment.name, trend]),
  )}`;
}

/** Describes how long something was not compliant in the period of a trend. */
export function describeNonCompliantTime({ current: { good, total } }: Trend): string {
  return total === good ? '' : describeDuration(total - good);
}
