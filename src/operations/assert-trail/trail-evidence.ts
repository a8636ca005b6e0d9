import { verdictFromArtifactState } from '../../contract/compliance.ts';
import type { Reason } from '../../contract/reason.ts';
import type { JudgedTrail } from '../../contract/trail-reading.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { toEvidenceState, type EvidenceState } from '../evidence-state.ts';

/** An attestation or an artifact that a trail requires or has. */
export interface TrailEvidence {
  /** `sonar`; `web.unit` for an attestation of the artifact `web`; `web` for the artifact itself. */
  readonly label: string;
  /** The type of the attestation, required or recorded; `artifact`. */
  readonly type: string;
  readonly state: EvidenceState;
  /** Whether it is recorded without being required. */
  readonly isExtra: boolean;
}

/**
 * What a trail requires or has: the attestations of the trail, then each artifact with its attestations.
 *
 * @param reasons why the trail is not compliant: they tell failed evidence from evidence that proves nothing
 */
export function listTrailEvidence(
  { compliance_status: status }: JudgedTrail,
  reasons: readonly Reason[] = [],
): readonly TrailEvidence[] {
  const artifacts = Object.entries(status?.artifacts_statuses ?? {});
  return [
    ...(status?.attestations_statuses ?? []).map((entry) => toAttestation(entry, '', reasons)),
    ...artifacts.flatMap(([name, entry]) => [
      toArtifact(name, entry),
      ...listAt(entry, 'attestations_statuses').map((own) => toAttestation(own, `${name}.`, reasons)),
    ]),
  ];
}

function toAttestation(entry: unknown, prefix: string, reasons: readonly Reason[]): TrailEvidence {
  const label = `${prefix}${textAt(entry, 'attestation_name') ?? '(without a name)'}`;
  const isIncomplete = reasons.some(({ state, about }) => state === 'incomplete' && about === label);
  return {
    label,
    type: textAt(entry, 'attestation_type') ?? '',
    state: isIncomplete ? 'incomplete' : attestationState(entry),
    isExtra: valueAt(entry, 'unexpected') === true,
  };
}

function attestationState(entry: unknown): EvidenceState {
  if (textAt(entry, 'status') === 'MISSING') return 'missing';
  const isCompliant = valueAt(entry, 'is_compliant');
  if (isCompliant === true) return 'compliant';
  return isCompliant === false ? 'failed' : 'unknown';
}

function toArtifact(name: string, entry: unknown): TrailEvidence {
  const status = textAt(entry, 'status') ?? '';
  return {
    label: name,
    type: 'artifact',
    state: status === 'MISSING' ? 'missing' : toEvidenceState(verdictFromArtifactState(status)),
    isExtra: valueAt(entry, 'unexpected') === true,
  };
}
