import type { Appearance } from './records.ts';

/**
 * How long it took from a moment until an artifact first ran in each environment, in whole seconds by the name of the
 * environment. An environment that ran it before that moment is left out, because a lead time is not negative.
 *
 * @param start in Unix seconds; undefined if unknown, and then nothing is known of any environment.
 */
export function calculateLeadTimes(
  start: number | undefined,
  appearances: readonly Appearance[],
): Record<string, number> {
  if (start === undefined) return {};
  const first = new Map<string, number>();
  for (const { environment, startedAt } of appearances) {
    first.set(environment, Math.min(startedAt, first.get(environment) ?? startedAt));
  }
  const times = [...first].map(([environment, startedAt]) => [environment, Math.floor(startedAt - start)] as const);
  return Object.fromEntries(times.filter(([, seconds]) => seconds >= 0));
}
