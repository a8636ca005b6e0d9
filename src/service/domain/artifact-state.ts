import type { ArtifactState, Verdict } from '../../contract/compliance.ts';
import { requiredEvidence } from '../../contract/template.ts';
import { evidenceName } from './evidence-scope.ts';
import type { ArtifactDetails } from './records.ts';

/** A piece of evidence that counts for an artifact: the latest attestation with its name. */
export interface Evidence {
  readonly name: string;
  readonly verdict: Verdict;
  /** The reason for the verdict, without a full stop: `the quality gate is ERROR`. */
  readonly reason: string;
}

/** The state of an artifact and the reason for it. */
export interface Judgement {
  readonly state: ArtifactState;
  /** The reason, as one or more sentences. */
  readonly info: string;
}

/**
 * Judges an artifact by its evidence (public documentation of such a service, Compliance): NON-COMPLIANT if any
 * evidence is non-compliant, required or not; else INCOMPLETE if required evidence is missing or any evidence is
 * inconclusive; else COMPLIANT. The order of the evidence does not matter.
 *
 * Our choice, because the rule does not cover it: an artifact without required and without reported evidence is
 * COMPLIANT, and the reason says that nothing was required.
 */
export function judge(required: readonly string[], evidence: readonly Evidence[]): Judgement {
  const of = (verdict: Verdict): readonly Evidence[] => evidence.filter((piece) => piece.verdict === verdict);
  const [failed, unproven] = [of('non-compliant'), of('incomplete')];
  const reported = new Set(evidence.map((piece) => piece.name));
  const missing = required.filter((name) => !reported.has(name));
  const faults = [
    sentence('Not compliant', failed.map(withReason)),
    sentence('Neither compliant nor non-compliant', unproven.map(withReason)),
    sentence('Required by the template of the flow and not reported', missing),
  ].filter((words) => words !== undefined);
  if (failed.length > 0) return { state: 'NON-COMPLIANT', info: faults.join(' ') };
  if (faults.length > 0) return { state: 'INCOMPLETE', info: faults.join(' ') };
  return { state: 'COMPLIANT', info: describeCompliant(required, evidence) };
}

/** Judges an artifact by its current evidence and its flow's current template. */
export function judgeArtifact({ flow, evidence }: Pick<ArtifactDetails, 'flow' | 'evidence'>): Judgement {
  const pieces = evidence.map(({ name, verdict, reason }) => ({ name: evidenceName(name), verdict, reason }));
  return judge(requiredEvidence(flow.template), pieces);
}

function describeCompliant(required: readonly string[], evidence: readonly Evidence[]): string {
  const names = evidence.map((piece) => piece.name).sort();
  if (names.length === 0) return 'The template of the flow requires no evidence, and none was reported.';
  const all = `All evidence is compliant: ${names.join(', ')}.`;
  return required.length === 0 ? `${all} The template of the flow requires none.` : all;
}

function withReason(piece: Evidence): string {
  return `${piece.name} (${piece.reason})`;
}

function sentence(title: string, items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : `${title}: ${[...items].sort().join(', ')}.`;
}
