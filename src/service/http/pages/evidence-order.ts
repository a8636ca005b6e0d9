import type { EvidenceStatus } from '../../domain/artifact-state.ts';

const order: Readonly<Record<string, number>> = { 'non-compliant': 0, missing: 1, incomplete: 2, compliant: 3 };

/** Compares evidence for sorting: first what is wrong, then what is missing, inconclusive, and compliant. */
export function compareEvidence(one: EvidenceStatus, other: EvidenceStatus): number {
  return rank(one) - rank(other);
}

function rank({ evidence }: EvidenceStatus): number {
  return order[evidence?.verdict ?? 'missing'] ?? 0;
}
