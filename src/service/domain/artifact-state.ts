import type { AttestationType } from '../../contract/attestations/kinds.ts';
import type { ArtifactState, Verdict } from '../../contract/compliance.ts';
import { evidenceName } from './evidence-scope.ts';
import type { ArtifactDetails } from './records.ts';
import {
  allRequirements,
  isListTemplate,
  type AppliedTemplate,
  type Level,
  type TemplateRequirement,
} from './template/template.ts';

/** A piece of evidence that counts: the latest attestation with its name, and in a template file also with its level. */
export interface Evidence {
  /** As it was sent: `unit` or `web.unit`. */
  readonly name: string;
  readonly type: AttestationType;
  readonly level: Level;
  readonly verdict: Verdict;
  /** The reason for the verdict, without a full stop: `the quality gate is ERROR`. */
  readonly reason: string;
}

/** Evidence that is required, reported, or both. */
export interface EvidenceStatus<Piece extends Evidence = Evidence> {
  /** The evidence name, without the artifact: `unit`. */
  readonly name: string;
  /** How a message names it: `unit`, `web.unit`, or `unit (junit)` if no attestation of that type was reported. */
  readonly label: string;
  /** The required type, or the type of what was reported without being required. */
  readonly type: string;
  readonly isRequired: boolean;
  /** Undefined if it is missing. */
  readonly evidence: Piece | undefined;
}

/** The state of an artifact or a trail, and the reason for it. */
export interface Judgement {
  readonly state: ArtifactState;
  /** The reason, as one or more sentences. */
  readonly info: string;
}

/**
 * Compares evidence with requirements: what is required comes first, in the order of the template, then what was
 * reported beyond it. Only evidence of the same name, level and type satisfies a requirement.
 *
 * @param artifact the artifact's name, for the labels of what is about it; undefined if it needs no name
 */
export function compareEvidence<Piece extends Evidence>(
  requirements: readonly TemplateRequirement[],
  evidence: readonly Piece[],
  artifact?: string,
): readonly EvidenceStatus<Piece>[] {
  const extra = new Set(evidence);
  const byName = Map.groupBy(evidence, (piece) => evidenceName(piece.name));
  const required = requirements.map(({ name, type, level }): EvidenceStatus<Piece> => {
    const found = byName
      .get(name)
      ?.find((piece) => (type === '*' || piece.type === type) && (level === 'any' || piece.level === level));
    if (found !== undefined) extra.delete(found);
    const label = toLabel(name, found?.level ?? level, artifact);
    const typed = found === undefined && type !== '*' ? `${label} (${type})` : label;
    return { name, label: typed, type, isRequired: true, evidence: found };
  });
  const others = [...extra].map((piece): EvidenceStatus<Piece> => {
    const name = evidenceName(piece.name);
    return { name, label: toLabel(name, piece.level, artifact), type: piece.type, isRequired: false, evidence: piece };
  });
  return [...required, ...others];
}

function toLabel(name: string, level: TemplateRequirement['level'], artifact: string | undefined): string {
  return level === 'trail' || artifact === undefined ? name : `${artifact}.${name}`;
}

/**
 * Judges an artifact or a trail (public documentation of such a service, Compliance): NON-COMPLIANT if any evidence is
 * non-compliant, required or not; else INCOMPLETE if anything required is missing or any evidence is inconclusive; else
 * COMPLIANT. The order of the evidence does not matter.
 *
 * Our choice, because the rule does not cover it: if nothing is required and nothing was reported, the state is
 * COMPLIANT, and the reason says that nothing was required.
 *
 * @param owner whose template it is
 * @param missingArtifacts the artifacts of the template that were not reported
 */
export function judge(
  statuses: readonly EvidenceStatus[],
  owner: AppliedTemplate['owner'],
  missingArtifacts: readonly string[] = [],
): Judgement {
  const reported = statuses.flatMap(({ label, evidence }) => (evidence === undefined ? [] : [{ label, evidence }]));
  const of = (verdict: Verdict): readonly string[] =>
    reported
      .filter(({ evidence }) => evidence.verdict === verdict)
      .map(({ label, evidence }) => `${label} (${evidence.reason})`);
  const failed = of('non-compliant');
  const missing = statuses.filter(({ evidence }) => evidence === undefined).map(({ label }) => label);
  const faults = [
    sentence('Not compliant', failed),
    sentence('Neither compliant nor non-compliant', of('incomplete')),
    sentence(`Required by the template of the ${owner} and not reported`, missing),
    sentence(`Artifacts of the template of the ${owner} that were not reported`, missingArtifacts),
  ].filter((words) => words !== undefined);
  if (failed.length > 0) return { state: 'NON-COMPLIANT', info: faults.join(' ') };
  if (faults.length > 0) return { state: 'INCOMPLETE', info: faults.join(' ') };
  const isAnyRequired = statuses.some(({ isRequired }) => isRequired);
  return {
    state: 'COMPLIANT',
    info: describeCompliant(
      reported.map(({ label }) => label),
      isAnyRequired,
      owner,
    ),
  };
}

/** What the judgement of an artifact is based on. */
export type JudgedDetails = Pick<ArtifactDetails, 'applied' | 'evidence'> & {
  readonly artifact: { readonly report: { readonly template_reference_name?: string | undefined } };
};

/** What an artifact requires, in the order of the template, and then the other evidence that it has. */
export function listArtifactEvidence<Piece extends Evidence>({
  applied,
  artifact,
  evidence,
}: Omit<JudgedDetails, 'evidence'> & { readonly evidence: readonly Piece[] }): readonly EvidenceStatus<Piece>[] {
  const { template_reference_name: reference } = artifact.report;
  // A list does not distinguish levels, so no name is ambiguous.
  const name = isListTemplate(applied.template) ? undefined : reference;
  return compareEvidence(allRequirements(applied.template, reference), evidence, name);
}

/**
 * Judges an artifact by its current evidence and the current template of its trail or flow. The reason says if a template
 * file has artifacts and this is none of them, because it may only look compliant without the evidence of its own.
 */
export function judgeArtifact(details: JudgedDetails): Judgement {
  const { applied, artifact } = details;
  const { state, info } = judge(listArtifactEvidence(details), applied.owner);
  if (isListTemplate(applied.template) || applied.template.artifacts.length === 0) return { state, info };
  if (applied.template.artifacts.some(({ name }) => name === artifact.report.template_reference_name))
    return { state, info };
  const outside = `It is not an artifact of the template of the ${applied.owner}, so only the evidence of its trail is required.`;
  return { state, info: `${info} ${outside}` };
}

function describeCompliant(labels: readonly string[], isAnyRequired: boolean, owner: string): string {
  if (labels.length === 0) return `The template of the ${owner} requires no evidence, and none was reported.`;
  const all = `All evidence is compliant: ${[...new Set(labels)].sort().join(', ')}.`;
  return isAnyRequired ? all : `${all} The template of the ${owner} requires none.`;
}

function sentence(title: string, items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : `${title}: ${[...new Set(items)].sort().join(', ')}.`;
}
