import { type Static, Type } from '../../../contract/schema.ts';
import { toDay } from '../../../runtime/clock.ts';
import { type Rate, toPercent, type Trend, type TrendChoice } from '../rate.ts';
import { type Query, withQuery } from './api-request.ts';
import { pageLink } from './components.ts';
import { type Hole, type Html, html } from './html.ts';
import { renderTable } from './table.ts';

const choices = [30, 90] as const;

/** What trends show: how many days, and which branches (`all`, else the default branch of each flow). */
export const trendQuery = Type.Object({
  days: Type.Optional(Type.Enum(['30', '90'])),
  branches: Type.Optional(Type.Enum(['default', 'all'])),
});

export const defaultTrendChoice: TrendChoice = { days: 30, isAllBranches: false };

export function toTrendChoice({
  days,
  branches,
}: {
  readonly [Name in keyof Static<typeof trendQuery>]?: Static<typeof trendQuery>[Name] | undefined;
}): TrendChoice {
  return { days: days === '90' ? 90 : 30, isAllBranches: branches === 'all' };
}

/** The parameters of an address for what trends show; none for the default. */
export function toTrendQuery({ days, isAllBranches }: TrendChoice): Query {
  return { days: days === 30 ? undefined : days, branches: isAllBranches ? 'all' : undefined };
}

/** Renders links to the same page with other trends. */
export function renderTrendChoice(path: string, chosen: TrendChoice, hasBranches: boolean, others: Query = {}): Html {
  const item = (words: string, change: Partial<TrendChoice>): Html => {
    const choice = { ...chosen, ...change };
    const isCurrent = choice.days === chosen.days && choice.isAllBranches === chosen.isAllBranches;
    const to = withQuery(path, { ...others, ...toTrendQuery(choice) });
    return isCurrent ? html`<strong>${words}</strong> ` : html`${pageLink(to, words)} `;
  };
  return html`<p>
    Trends: ${choices.map((days) => item(`${days} days`, { days }))}
    ${
      hasBranches
        ? html`· ${item('Default branch', { isAllBranches: false })} ${item('All branches', { isAllBranches: true })}`
        : undefined
    }
  </p>`;
}

/** The size of a bar for a week in the drawing, in its own units. */
const bar = { step: 6, width: 5, height: 20 } as const;

/** Renders the rate of the last days, its difference from that of the days before, and a bar for each week. */
export function renderTrend({ current, before, weeks }: Trend, days: number): Html {
  const [percent, former] = [toPercent(current), toPercent(before)];
  if (percent === undefined) return html`–`;
  const difference = former === undefined ? undefined : percent - former;
  const title = former === undefined ? `nothing in the ${days} days before` : `${former} % in the ${days} days before`;
  const words = difference === undefined ? '' : describeDifference(difference);
  const bars = weeks.map(({ good, total }, index) => {
    // A week without data has no bar; a week in which nothing was compliant has a low one.
    const height = total === 0 ? 0 : Math.max(1, Math.round((good / total) * bar.height));
    return `M${index * bar.step} ${bar.height}v-${height}h${bar.width}v${height}z`;
  });
  return html`<span class="trend"
    ><strong>${percent} %</strong> <small title="${title}">${words}</small>
    <svg
      viewBox="0 0 ${weeks.length * bar.step} ${bar.height}"
      role="img"
      aria-label="Compliant by week: ${weeks.map(describeRate).join(', ')}"
    >
      <path d="${bars.join('')}" /></svg
  ></span>`;
}

function describeDifference(points: number): string {
  if (points === 0) return 'unchanged';
  return `${points > 0 ? '+' : ''}${points} ${Math.abs(points) === 1 ? 'point' : 'points'}`;
}

function describeRate(rate: Rate): string {
  const percent = toPercent(rate);
  return percent === undefined ? '–' : `${percent} %`;
}

/** Renders the weekly rates of trends as a folded table. */
export function renderWeeks(label: string, rows: readonly (readonly [name: Hole, trend: Trend])[]): Html | undefined {
  const weeks = rows[0]?.[1].weeks;
  if (weeks === undefined) return undefined;
  const columns = weeks.map(({ from }) => toDay(from).slice('2027-'.length));
  return html`<details>
    <summary>${label}, by week</summary>
    ${renderTable({
      label: `${label}, by week`,
      columns: ['From', ...columns],
      rows: rows.map(([name, trend]): readonly Hole[] => [name, ...trend.weeks.map(describeRate)]),
      maximumBytes: 15_000,
    })}
  </details>`;
}
