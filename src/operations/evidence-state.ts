import type { Verdict } from '../contract/compliance.ts';
import { isMapping, textAt, valueAt } from '../runtime/untrusted-data.ts';

/** The state of one required attestation. */
export type EvidenceState = 'failed' | 'incomplete' | 'unknown' | 'missing' | 'compliant';

/** What could be recognised of an attestation in an answer. */
export interface EvidenceItem {
  readonly state: EvidenceState;
  /** Why, in the service's words; its word for the state if that is unknown here. */
  readonly reason?: string | undefined;
  /** The attestation's page. */
  readonly href?: string | undefined;
}

const words: Readonly<Record<EvidenceState | 'extra', string>> = {
  compliant: '✅ compliant',
  failed: '❌ failed',
  incomplete: '⏳ incomplete',
  missing: '⬜ missing',
  unknown: '❔ unknown',
  extra: '➕ extra',
};

/** The mark and the word of a state. What is recorded and not required is `extra`, unless it says more than that. */
export function evidenceLabel(state: EvidenceState, isExtra = false): string {
  if (!isExtra) return words[state];
  return state === 'compliant' ? words.extra : `${words[state]} (extra)`;
}

/** The mark of a state. */
export function evidenceMark(state: EvidenceState): string {
  return words[state].split(' ', 1).join('');
}

/** The state of an attestation with this verdict. */
export function toEvidenceState(verdict: Verdict | undefined): EvidenceState {
  if (verdict === undefined) return 'unknown';
  return verdict === 'non-compliant' ? 'failed' : verdict;
}

const statesByWord: ReadonlyMap<string, EvidenceState> = new Map([
  ['compliant', 'compliant'],
  ['non-compliant', 'failed'],
  ['noncompliant', 'failed'],
  ['failed', 'failed'],
  ['incomplete', 'incomplete'],
  ['missing', 'missing'],
]);

/**
 * Recognises an entry of an artifact's `evidence`, whose inner structure the interface does not show: the fields of an
 * attestation, or a word. This is only shown. The artifact's `state` decides.
 */
export function toEvidenceItem(entry: unknown): EvidenceItem {
  if (entry === null || entry === undefined) return { state: 'missing' };
  if (typeof entry === 'string') return byWord(entry);
  if (!isMapping(entry)) return { state: 'unknown' };
  const named = byWord(textAt(entry, 'status') ?? '');
  return {
    state: worse(named, valueAt(entry, 'is_compliant')),
    reason: textAt(entry, 'status_info') ?? textAt(entry, 'state_info') ?? textAt(entry, 'reason') ?? named.reason,
    href: textAt(entry, 'html_url'),
  };
}

/** A word and a flag about the same thing: the one that speaks against it counts. */
function worse({ state }: EvidenceItem, isCompliant: unknown): EvidenceState {
  if (isCompliant === true) return state === 'unknown' ? 'compliant' : state;
  if (isCompliant === false) return state === 'unknown' || state === 'compliant' ? 'failed' : state;
  return state;
}

function byWord(word: string): EvidenceItem {
  const state = statesByWord.get(
    word
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/gu, '-'),
  );
  if (state !== undefined) return { state };
  return { state: 'unknown', reason: word === '' ? undefined : `the service calls it ${JSON.stringify(word)}` };
}
