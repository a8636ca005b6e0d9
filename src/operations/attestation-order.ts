import type { ListedAttestation } from '../contract/attestation-list.ts';

/** In which order a service lists attestations. The interface shows none. */
export type ListOrder = 'newest first' | 'oldest first' | 'unknown';

/** The order of a page by the times of its entries; unknown if they all have the same time, or rise and fall. */
export function orderOf(attestations: readonly ListedAttestation[]): ListOrder {
  const times = attestations.flatMap(({ created_at: time }) => time ?? []);
  const rises = times.some((time, index) => index > 0 && time > (times[index - 1] ?? time));
  const falls = times.some((time, index) => index > 0 && time < (times[index - 1] ?? time));
  if (rises === falls) return 'unknown';
  return falls ? 'newest first' : 'oldest first';
}

/** The newest first. Those with the same time stay in the service's order, read in the same direction. */
export function newestFirst(
  attestations: readonly ListedAttestation[],
  order: ListOrder,
): readonly ListedAttestation[] {
  const forward = order === 'oldest first' ? attestations.toReversed() : attestations;
  return forward.toSorted((one, other) => (other.created_at ?? 0) - (one.created_at ?? 0));
}

/** The newest time among the attestations, in Unix seconds; undefined if none has a time. */
export function newestTime(attestations: readonly ListedAttestation[]): number | undefined {
  return attestations.reduce<number | undefined>(
    (newest, { created_at: time }) => (time === undefined ? newest : Math.max(time, newest ?? time)),
    undefined,
  );
}
