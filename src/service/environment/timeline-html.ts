import { describeNonCompliantTime } from '../organization/organization-page.ts';
import { describeDuration, renderFacts, renderTime } from '../platform/pages/components.ts';
import { type Html, html } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';
import { renderTrend, renderTrendChoice, renderWeeks } from '../platform/pages/trend-html.ts';
import type { TrendChoice } from '../platform/rate.ts';
import type { Environment, SnapshotSummary } from '../snapshot/snapshot.ts';
import type { JudgedEnvironment } from './environment-reading-use-cases.ts';

/** The size of the drawing, in its own units. */
const width = 1000;
const height = 40;

/** The minimum width of a bar, so that each can be seen. */
const minimumWidth = 8;

/** The top and the height of a bar by its verdict: the shape shows it, not only the color. */
const bars = { good: [22, 18], bad: [0, 40], none: [30, 10] } as const;

/** Renders a timeline of snapshots: a bar for each, as wide as it lasted, and taller if it does not comply. */
export function renderTimeline(
  context: PageContext,
  {
    org,
    environment,
    snapshots,
  }: { readonly org: string; readonly environment: string; readonly snapshots: readonly SnapshotSummary[] },
): Html | undefined {
  const inOrder = snapshots.toSorted((one, other) => one.number - other.number);
  const [first] = inOrder;
  if (first === undefined) return undefined;
  const places = placeBars(inOrder.map((snapshot) => toLength(snapshot, context.now)));
  const drawn = inOrder.map((snapshot, index) => {
    const { start, size } = places[index] ?? { start: 0, size: 0 };
    const [tone, words] = describeVerdict(snapshot.compliant);
    const [top, tall] = bars[tone];
    const label = `Snapshot ${snapshot.number}: ${words}, ${describeLength(snapshot, context.now)}`;
    return html`<a
      class="${tone}"
      href="${context.paths.snapshot(org, environment, snapshot.number)}"
      aria-label="${label}"
      ><title>${label}</title><rect x="${start}" y="${top}" width="${size}" height="${tall}" rx="2"></rect
    ></a>`;
  });
  return html`<svg
      class="timeline"
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      role="group"
      aria-label="Timeline of snapshots"
    >
      ${drawn}
    </svg>
    <p class="scale"><span>${renderTime(first.from, context)}</span><span>now</span></p>
    <p class="scale"><span>Tall bars do not comply, middle ones comply, low ones were not judged.</span></p>`;
}

function toLength({ from, to }: SnapshotSummary, now: number): number {
  return Math.max(0, (to ?? now) - from);
}

function describeLength(snapshot: SnapshotSummary, now: number): string {
  const length = describeDuration(toLength(snapshot, now));
  return snapshot.to === undefined ? `current for ${length}` : `for ${length}`;
}

/** Returns the start and the width of each bar, from how long each lasted. Together they fill the drawing. */
export function placeBars(lengths: readonly number[]): readonly { readonly start: number; readonly size: number }[] {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const free = Math.max(0, width - lengths.length * minimumWidth);
  const sizes = lengths.map((length) =>
    total === 0 ? width / lengths.length : Math.min(minimumWidth, width / lengths.length) + (length / total) * free,
  );
  let start = 0;
  return sizes.map((size) => {
    const place = { start: round(start), size: round(size) };
    start += size;
    return place;
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function describeVerdict(compliant: boolean | null): readonly [keyof typeof bars, string] {
  if (compliant === null) return ['none', 'not judged'];
  return compliant ? ['good', 'compliant'] : ['bad', 'not compliant'];
}

export interface HistoryView {
  readonly overview: Environment;
  readonly history: JudgedEnvironment | undefined;
  readonly choice: TrendChoice;
}

/** Renders how long an environment was compliant in the last days. */
export function renderHistory(context: PageContext, { overview, history, choice }: HistoryView): Html | undefined {
  if (history === undefined) return undefined;
  const { trend } = history;
  return html`<h2>Compliant time</h2>
    ${renderFacts([
      [`Compliant in ${choice.days} days`, renderTrend(trend, choice.days)],
      ['Not compliant for', describeNonCompliantTime(trend)],
    ])}
    ${renderTrendChoice(context.paths.environment(overview.org, overview.name), choice, false)}
    ${renderWeeks('Compliant time', [[overview.name, trend]])}`;
}
