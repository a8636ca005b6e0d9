import type { Verdict } from '../contract/compliance.ts';
import { isMapping, textAt, valueAt } from '../runtime/untrusted-data.ts';

export type EvidenceState = 'failed' | 'incomplete' | 'unknown' | 'missing' | 'mismatched' | 'compliant';

/** What an answer says about one attestation. */
export interface EvidenceItem {
  readonly state: EvidenceState;
  /** The reason in the service's words; its word for the state if that is not a known one. */
  readonly reason?: string | undefined;
  readonly description?: string | undefined;
  /** The attestation's page. */
  readonly href?: string | undefined;
}

const words: Readonly<Record<EvidenceState | 'extra', string>> = {
  compliant: '✅ compliant',
  failed: '❌ failed',
  incomplete: '⏳ incomplete',
  missing: '⬜ missing',
  mismatched: '⚠️ of another type',
  unknown: '❔ unknown',
  extra: '➕ extra',
};

/** Mark and word of a state: `✅ compliant`. A compliant attestation that is not required is `extra`. */
export function evidenceLabel(state: EvidenceState, isExtra = false): string {
  if (!isExtra) return words[state];
  return state === 'compliant' ? words.extra : `${words[state]} (extra)`;
}

/** The mark of a state: `✅`. */
export function evidenceMark(state: EvidenceState): string {
  return words[state].split(' ', 1).join('');
}

/** The state for a verdict; unknown if there is none. */
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
 * Reads an entry of an artifact's `evidence`, for display only: the artifact's `state` decides. The interface does not
 * show the structure, so an entry may have the fields of an attestation, or be a single word.
 */
export function toEvidenceItem(entry: unknown): EvidenceItem {
  if (entry === null || entry === undefined) return { state: 'missing' };
  if (typeof entry === 'string') return byWord(entry);
  if (!isMapping(entry)) return { state: 'unknown' };
  const named = byWord(textAt(entry, 'status') ?? '');
  return {
    state: worse(named, valueAt(entry, 'is_compliant')),
    reason: textAt(entry, 'status_info') ?? textAt(entry, 'state_info') ?? textAt(entry, 'reason') ?? named.reason,
    description: textAt(entry, 'description'),
    href: textAt(entry, 'html_url'),
  };
}

/** If the word and the flag contradict each other, the worse one counts. */
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
