/**
 * The lead time of an artifact to each environment: whole seconds from a start time until it first ran there, by
 * environment name. Environments that ran it before the start time are left out, because a lead time cannot be
 * negative.
 *
 * @param start in Unix seconds; if undefined (unknown), the result is empty.
 * @param firstStarts when it first started in each environment, in Unix seconds
 */
export function calculateLeadTimes(
  start: number | undefined,
  firstStarts: ReadonlyMap<string, number>,
): Record<string, number> {
  if (start === undefined) return {};
  const times = [...firstStarts].map(
    ([environment, startedAt]) => [environment, Math.floor(startedAt - start)] as const,
  );
  return Object.fromEntries(times.filter(([, seconds]) => seconds >= 0));
}

/** The lead times of trails to an environment, in seconds. */
export interface LeadTimeSummary {
  readonly environment: string;
  /** Of an even number of times, the higher of the two in the middle. */
  readonly median: number;
  readonly slowest: { readonly trail: string; readonly seconds: number };
  /** The number of trails with an artifact that ran there. */
  readonly trails: number;
}

/**
 * Summarizes the lead times of trails by environment, sorted by name. Runs before the start of their trail are left out.
 *
 * @param starts when each trail began, in Unix seconds
 */
export function summarizeLeadTimes(
  starts: ReadonlyMap<string, number>,
  runs: readonly { readonly trail: string; readonly environment: string; readonly startedAt: number }[],
): readonly LeadTimeSummary[] {
  const times = runs.flatMap(({ trail, environment, startedAt }) => {
    const seconds = startedAt - (starts.get(trail) ?? Infinity);
    return seconds >= 0 ? [{ trail, environment, seconds }] : [];
  });
  return [...Map.groupBy(times, ({ environment }) => environment)]
    .flatMap(([environment, unsorted]) => {
      const sorted = unsorted.toSorted((one, other) => one.seconds - other.seconds);
      const [middle, slowest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
      if (middle === undefined || slowest === undefined) return [];
      return [{ environment, median: middle.seconds, slowest, trails: sorted.length }];
    })
    .sort((one, other) => (one.environment < other.environment ? -1 : 1));
}
