import { verdictFromArtifactState } from '../../contract/compliance.ts';
import type { Reason } from '../../contract/reason.ts';
import type { JudgedTrail } from '../../contract/trail-reading.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { toEvidenceState } from '../evidence-state.ts';
import { type ListedEvidence, readAttestationStatus } from '../listed-evidence.ts';

/**
 * What a trail requires or has: the attestations of the trail, then each artifact with its attestations.
 *
 * @param reasons why the trail is not compliant: they tell failed evidence from evidence that proves nothing
 */
export function listTrailEvidence(
  { compliance_status: status }: JudgedTrail,
  reasons: readonly Reason[] = [],
): readonly ListedEvidence[] {
  const artifacts = Object.entries(status?.artifacts_statuses ?? {});
  const incomplete = new Set(reasons.flatMap(({ state, about }) => (state === 'incomplete' ? [about] : [])));
  const read = (entry: unknown, prefix = ''): ListedEvidence => {
    const evidence = readAttestationStatus(entry, prefix);
    return incomplete.has(evidence.label) ? { ...evidence, state: 'incomplete' } : evidence;
  };
  return [
    ...(status?.attestations_statuses ?? []).map((entry) => read(entry)),
    ...artifacts.flatMap(([name, entry]) => [
      toArtifact(name, entry),
      ...listAt(entry, 'attestations_statuses').map((own) => read(own, `${name}.`)),
    ]),
  ];
}

function toArtifact(name: string, entry: unknown): ListedEvidence {
  const status = textAt(entry, 'status') ?? '';
  return {
    label: name,
    type: 'artifact',
    state: status === 'MISSING' ? 'missing' : toEvidenceState(verdictFromArtifactState(status)),
    isExtra: valueAt(entry, 'unexpected') === true,
  };
}
