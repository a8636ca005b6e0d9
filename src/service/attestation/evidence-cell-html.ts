import type { EvidenceStatus } from '../artifact/artifact-state.ts';
import { evidenceName } from './evidence-scope.ts';
import type { CountedAttestation } from './attestation.ts';
import { pageLink, renderBadge } from '../platform/pages/components.ts';
import type { Html } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';

const order: Readonly<Record<string, number>> = { 'non-compliant': 0, incomplete: 1, missing: 2, compliant: 3 };

/** Compares evidence for sorting: first what is wrong, then what is inconclusive, missing, and compliant. */
export function compareStatuses(one: EvidenceStatus, other: EvidenceStatus): number {
  return rank(one) - rank(other);
}

function rank({ evidence }: EvidenceStatus): number {
  return order[evidence?.verdict ?? 'missing'] ?? 0;
}

export function linkEvidence({ paths }: PageContext, { org, flow, trail, id, name }: CountedAttestation): Html {
  return pageLink(paths.attestation(org, flow, trail, id), evidenceName(name));
}

/** The badge of required evidence that is missing, perhaps because what was recorded has another type. */
export function renderMissing(mistyped: CountedAttestation | undefined): Html {
  return mistyped === undefined ? renderBadge('missing') : renderBadge('missing', 'Wrong type');
}
