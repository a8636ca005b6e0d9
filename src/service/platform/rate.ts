/** How much of something is compliant: of a number of trails, or of a time in seconds. */
export interface Rate {
  readonly good: number;
  readonly total: number;
}

/** From a time until before another, in Unix seconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A rate in some days until now, in the same number of days before them, and in each week. */
export interface Trend {
  readonly current: Rate;
  readonly before: Rate;
  /** The oldest first; it can be shorter than a week. */
  readonly weeks: readonly (Rate & Period)[];
}

const secondsOfDay = 86_400;
const secondsOfWeek = 7 * secondsOfDay;

/** The periods of a trend: the days before, then the weeks. The second of `now` is the last one. */
export function toPeriods(days: number, now: number): readonly [before: Period, ...weeks: Period[]] {
  const end = Math.floor(now) + 1;
  const start = end - days * secondsOfDay;
  const weeks = Array.from({ length: Math.ceil(days / 7) }, (_, index) => {
    const to = end - index * secondsOfWeek;
    return { from: Math.max(start, to - secondsOfWeek), to };
  });
  return [{ from: start - days * secondsOfDay, to: start }, ...weeks.reverse()];
}

/** @param count gives the rate of each of the periods */
export function toTrend([before, ...periods]: ReturnType<typeof toPeriods>, count: (period: Period) => Rate): Trend {
  const weeks = periods.map((period) => ({ ...period, ...count(period) }));
  return { current: sumRates(weeks), before: count(before), weeks };
}

function sumRates(rates: readonly Rate[]): Rate {
  const sum = (field: keyof Rate): number => rates.reduce((total, rate) => total + rate[field], 0);
  return { good: sum('good'), total: sum('total') };
}

/** Whole percent, rounded down: only if everything is compliant, it is 100. Undefined if there is nothing. */
export function toPercent({ good, total }: Rate): number | undefined {
  return total === 0 ? undefined : Math.floor((good / total) * 100);
}

/** A time in which a verdict did not change; until now if it has no end. In Unix seconds. */
export interface VerdictSpan {
  readonly compliant: boolean | null;
  readonly from: number;
  readonly to: number | undefined;
}

/** How many seconds of a period were compliant, of those in which there was a verdict. */
export function measureSpans(spans: readonly VerdictSpan[], period: Period, now: number): Rate {
  const judged = spans.filter(({ compliant }) => compliant !== null);
  return sumRates(
    judged.map(({ compliant, from, to = now }) => {
      const total = Math.max(0, Math.min(to, period.to) - Math.max(from, period.from));
      return { good: compliant === true ? total : 0, total };
    }),
  );
}
