import type { Reason } from '../contract/reason.ts';
import { textAt, valueAt } from '../runtime/untrusted-data.ts';
import type { EvidenceState } from './evidence-state.ts';

/** An attestation or an artifact that an answer lists as required, as recorded, or as both. */
export interface ListedEvidence {
  /** `sonar`; `web.unit` for an attestation of the artifact `web`; `web` for the artifact itself. */
  readonly label: string;
  /** The type of the attestation, required or recorded; `artifact`. */
  readonly type: string;
  readonly state: EvidenceState;
  /** Whether it is recorded without being required. */
  readonly isExtra: boolean;
}

/**
 * Reads an entry of `attestations_statuses`.
 *
 * @param prefix precedes its name: `web.`
 */
export function readAttestationStatus(entry: unknown, prefix = ''): ListedEvidence {
  return {
    label: `${prefix}${textAt(entry, 'attestation_name') ?? '(without a name)'}`,
    type: textAt(entry, 'attestation_type') ?? '',
    state: readState(entry),
    isExtra: valueAt(entry, 'unexpected') === true,
  };
}

function readState(entry: unknown): EvidenceState {
  if (textAt(entry, 'status') === 'MISSING') return 'missing';
  const isCompliant = valueAt(entry, 'is_compliant');
  if (isCompliant === true) return 'compliant';
  return isCompliant === false ? 'failed' : 'unknown';
}

/** Why listed evidence keeps something from being compliant, in the service's words; empty if it does not. */
export function toEvidenceReasons({ label: about, type, state, isExtra }: ListedEvidence): readonly Reason[] {
  switch (state) {
    case 'missing':
      return isExtra ? [] : [{ state, about, rule: 'template', ...describeMissing(type) }];
    case 'failed':
      return [{ state, about, value: 'not compliant' }];
    case 'compliant':
      return [];
    default:
      return [{ state: 'incomplete', about, value: 'not judged yet' }];
  }
}

function describeMissing(type: string): Pick<Reason, 'value' | 'limit'> {
  if (type === 'artifact') return { value: 'artifact not reported' };
  return { value: 'not recorded', ...(type === '' || type === '*' ? {} : { limit: `${type} is required` }) };
}
