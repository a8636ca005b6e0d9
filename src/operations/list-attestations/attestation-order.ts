import type { ListedAttestation } from '../../contract/attestation-list.ts';

/** The order in which a service lists attestations; the interface does not define it. */
export type ListOrder = 'newest first' | 'oldest first' | 'unknown';

export interface Recorded {
  /** Unix seconds. */
  readonly created_at?: number | undefined;
  readonly sequence?: number | undefined;
}

/**
 * Positive if the first is newer. The sequence decides if both have one, because a service's clock can be set back;
 * otherwise the times do. 0 if both are equal.
 */
export function compareAge(one: Recorded, other: Recorded): number {
  if (one.sequence !== undefined && other.sequence !== undefined) return one.sequence - other.sequence;
  return (one.created_at ?? 0) - (other.created_at ?? 0);
}

/** The order of a page; unknown if all entries have the same age, or if they are in no order. */
export function detectOrder(attestations: readonly ListedAttestation[]): ListOrder {
  const dated = attestations.filter(({ created_at: time }) => time !== undefined);
  const steps = dated.slice(1).map((attestation, index) => compareAge(attestation, dated[index] ?? attestation));
  const rises = steps.some((step) => step > 0);
  const falls = steps.some((step) => step < 0);
  if (rises === falls) return 'unknown';
  return falls ? 'newest first' : 'oldest first';
}

/** Sorts the newest first. Entries of the same age keep the service's order, in the same direction. */
export function newestFirst(
  attestations: readonly ListedAttestation[],
  order: ListOrder,
): readonly ListedAttestation[] {
  const forward = order === 'oldest first' ? attestations.toReversed() : attestations;
  return forward.toSorted((one, other) => compareAge(other, one));
}
