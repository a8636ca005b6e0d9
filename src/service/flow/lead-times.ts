import type { Appearance } from '../artifact/artifact.ts';

/**
 * The lead time of an artifact to each environment: whole seconds from a start time until it first ran there, by
 * environment name. Environments that ran it before the start time are left out, because a lead time cannot be
 * negative.
 *
 * @param start in Unix seconds; if undefined (unknown), the result is empty.
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
