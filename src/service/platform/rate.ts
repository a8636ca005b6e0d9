/** The compliant part of a number of trails, or of a time in seconds. */
export interface Rate {
  readonly good: number;
  readonly total: number;
}

/** A period in Unix seconds; `to` is not part of it. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** The rates of the last days, of the same number of days before them, and of each week. */
export interface Trend {
  readonly current: Rate;
  readonly before: Rate;
  /** The oldest first, which can be shorter than a week. */
  readonly weeks: readonly (Rate & Period)[];
}

/** What trends cover: the last days; of trails, those of the default branch of each flow or of all branches. */
export interface TrendChoice {
  readonly days: number;
  readonly isAllBranches: boolean;
}

export const secondsOfDay = 86_400;
const secondsOfWeek = 7 * secondsOfDay;

/** The periods of a trend: the days before, then the weeks. The last period includes the second of `now`. */
export function toPeriods(days: number, now: number): readonly [before: Period, ...weeks: Period[]] {
  const end = Math.floor(now) + 1;
  const start = end - days * secondsOfDay;
  const weeks = Array.from({ length: Math.ceil(days / 7) }, (_, index) => {
    const to = end - index * secondsOfWeek;
    return { from: Math.max(start, to - secondsOfWeek), to };
  });
  return [{ from: start - days * secondsOfDay, to: start }, ...weeks.reverse()];
}

export function toTrend([before, ...periods]: ReturnType<typeof toPeriods>, count: (period: Period) => Rate): Trend {
  const weeks = periods.map((period) => ({ ...period, ...count(period) }));
  return { current: sumRates(weeks), before: count(before), weeks };
}

function sumRates(rates: readonly Rate[]): Rate {
  const sum = (field: keyof Rate): number => rates.reduce((total, rate) => total + rate[field], 0);
  return { good: sum('good'), total: sum('total') };
}

/** In whole percent, rounded down, so that 100 means that everything is compliant. Undefined without data. */
export function toPercent({ good, total }: Rate): number | undefined {
  return total === 0 ? undefined : Math.floor((good / total) * 100);
}

/** A period in which a verdict did not change, in Unix seconds; `to` is undefined for the current verdict. */
export interface VerdictSpan {
  readonly compliant: boolean | null;
  readonly from: number;
  readonly to: number | undefined;
}

/** Measures how many seconds of a period were compliant, of those with a verdict. */
export function measureSpans(spans: readonly VerdictSpan[], period: Period, now: number): Rate {
  const judged = spans.filter(({ compliant }) => compliant !== null);
  return sumRates(
    judged.map(({ compliant, from, to = now }) => {
      const total = Math.max(0, Math.min(to, period.to) - Math.max(from, period.from));
      return { good: compliant === true ? total : 0, total };
    }),
  );
}
