import { renderFlowTrend } from '../organization/organization-page.ts';
import { clip, describeDuration, pageLink } from '../platform/pages/components.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';
import { renderTrendChoice, renderWeeks } from '../platform/pages/trend-html.ts';
import type { TrendChoice } from '../platform/rate.ts';
import { isListTemplate } from '../template/template.ts';
import type { Flow } from './flow.ts';
import { type FlowDelivery, leadTimeTrails } from './flow-delivery-use-cases.ts';
import type { SelectionQuery } from './trail-list-page.ts';

export interface DeliveryView {
  readonly delivery: FlowDelivery | undefined;
  readonly choice: TrendChoice;
  /** The filters of the list of trails that are set. */
  readonly selected: SelectionQuery;
}

/** Renders the rate of a flow, with the choice of what it counts. */
export function renderRate(context: PageContext, { org, name }: Flow, view: DeliveryView): Html | undefined {
  const { delivery, choice, selected } = view;
  if (delivery === undefined) return undefined;
  return html`<p>Compliant in ${choice.days} days: ${renderFlowTrend(delivery.trend, choice.days)}</p>
    ${renderTrendChoice(context.paths.flow(org, name), choice, true, selected)}`;
}

/** Renders, folded, the trend of a flow by week, its lead times, its template and its policies. */
export function renderDelivery(context: PageContext, flow: Flow, { delivery }: DeliveryView): Html | undefined {
  if (delivery === undefined) return undefined;
  const { org, name, template } = flow;
  const { paths } = context;
  const { leadTimes, policies } = delivery;
  const fold = (title: string, content: Html): Html =>
    html`<details>
      <summary>${title}</summary>
      ${content}
    </details>`;
  const toEnvironment = (environment: string): Html => pageLink(paths.environment(org, environment), environment);
  return html`${renderWeeks('Compliant trails', [[name, delivery.trend.trend]])}
  ${fold(
    'Lead times',
    renderTable({
      label: `From the commit, of the latest ${leadTimeTrails} trails`,
      columns: ['Environment', 'Median', 'Slowest', 'Trails'],
      rows: leadTimes.map(({ environment, median, slowest, trails }): readonly Hole[] => [
        toEnvironment(environment),
        describeDuration(median),
        html`${describeDuration(slowest.seconds)}:
        ${pageLink(paths.trail(org, name, slowest.trail), clip(slowest.trail, 40))}`,
        trails,
      ]),
      empty: 'None of the latest trails has an artifact that ran in an environment.',
      maximumBytes: 8000,
    }),
  )}
  ${fold(
    'Template',
    isListTemplate(template)
      ? html`<p>
          ${template.length === 0 ? 'Nothing is required.' : `Of each trail: ${clip(template.join(', '), 4000)}`}
        </p>`
      : html`<pre tabindex="0"><code>${clip(template.text, 4000)}</code></pre>`,
  )}
  ${fold(
    'Policies',
    renderTable({
      label: 'Policies',
      columns: ['Policy', 'Applies to its artifacts in', 'Names the flow'],
      rows: policies.map((policy): readonly Hole[] => [
        pageLink(paths.policy(org, policy.name), policy.name),
        html`${policy.environments.map((environment) => html`${toEnvironment(environment)} `)}`,
        policy.isNamed ? 'yes' : 'no',
      ]),
      empty: 'No policy names the flow, and none applies to its artifacts where they run.',
      maximumBytes: 8000,
    }),
  )}`;
}
