import type { ArtifactState, Verdict } from '../../contract/compliance.ts';
import { requiredEvidence } from '../../contract/template.ts';
import { evidenceName } from './binding.ts';
import type { ArtifactDetails } from './records.ts';

/** One piece of evidence that counts for an artifact: the latest of its name. */
export interface Evidence {
  readonly name: string;
  readonly verdict: Verdict;
  /** What led to the verdict, in words without a full stop: `the quality gate is ERROR`. */
  readonly reason: string;
}

/** The state of an artifact, and why. */
export interface Judgement {
  readonly state: ArtifactState;
  /** The reason in words, as a sentence. */
  readonly info: string;
}

/**
 * The state of an artifact (the public documentation of such a service, Compliance): NON-COMPLIANT as soon as one piece of
 * evidence is non-compliant, required or not; else INCOMPLETE while required evidence is missing or some evidence proves
 * neither; else COMPLIANT. Does not depend on the order of the evidence.
 *
 * Chosen, because the rule is silent there: an artifact that nothing is required of and nothing was reported about is
 * COMPLIANT. All that its template asks for is there, and the words say that this is nothing.
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

/** The state of an artifact, by what counts for it now and what its flow asks for now. */
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
