import { type ArtifactState, toArtifactState } from '../../contract/compliance.ts';
import { describeFault, toReasons, verdictFromReasons } from '../../contract/reason.ts';
import { type Audience, describeAudience } from '../account/audience.ts';
import type { AttestationSummary } from '../attestation/attestation.ts';
import { evidenceName, selectFrom } from '../attestation/evidence-scope.ts';
import {
  describeReasons,
  type JudgementReason,
  locateReasons,
  orderReasons,
  type ReasonSource,
  toSentence,
} from '../attestation/reasons.ts';
import { type AttributedRecord, countsFrom, explainUncounted } from '../requirement/recorder.ts';
import { compileRequirement } from '../requirement/requirement.ts';
import {
  allRequirements,
  type AppliedTemplate,
  findArtifactRecorders,
  isListTemplate,
  type Level,
  listArtifactRecorders,
  type TemplateRequirement,
} from '../template/template.ts';
import type { ArtifactDetails } from './artifact.ts';

/** A piece of evidence that counts: the latest attestation with its name, and in a template file also with its level. */
export interface Evidence
  extends AttributedRecord, Pick<AttestationSummary, 'name' | 'type' | 'verdict' | 'reason' | 'faults' | 'facts'> {
  readonly level: Level;
  /** When it was recorded, in Unix seconds. */
  readonly createdAt?: number;
  /** Where it is recorded. */
  readonly flow?: string;
  readonly trail?: string;
  readonly id?: string;
}

/** The verdict of a piece of evidence, and where it is recorded. */
export type RecordedVerdict = Pick<Evidence, 'verdict' | 'reason' | 'faults' | 'flow' | 'trail' | 'id'>;

/** Evidence that is required, reported, or both. */
export interface EvidenceStatus<Piece extends Evidence = Evidence> {
  /** The evidence name, without the artifact: `unit`. */
  readonly name: string;
  /** How a message names it: `unit` or `web.unit`. */
  readonly label: string;
  /** The required type; if it is not required, the type that was reported. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The first day in UTC of the trails that it is required of; undefined for all. */
  readonly requiredFrom?: string | undefined;
  /** Undefined if it is missing. */
  readonly evidence: Piece | undefined;
  /** Evidence with the required name, but of another type, or of a recorder that does not count. */
  readonly mismatched?: Piece | undefined;
  /** The recorders whose evidence counts; undefined for all. */
  readonly from?: readonly string[] | undefined;
  /** The audience that evidence with the required name does not count for, as text; undefined if there is none. */
  readonly uncounted?: string | undefined;
}

/** Evidence that does not count for an audience. */
export interface UncountedEvidence {
  readonly audience: Audience;
  readonly evidence: readonly Evidence[];
}

/** The state of an artifact or a trail, and the reason for it. */
export interface Judgement {
  readonly state: ArtifactState;
  /** The reason, as one or more sentences. */
  readonly info: string;
  /** The part of `info` that is not a reason, at its end; undefined if there is none. */
  readonly note?: string;
  /** What keeps it from being compliant, the worst first; empty exactly if it is COMPLIANT. */
  readonly reasons: readonly JudgementReason[];
}

/**
 * Compares evidence with requirements. First the required evidence, in the order of the template, then what was
 * reported beyond it. Only evidence of the same name, level and type satisfies a requirement.
 *
 * @param artifact the artifact's name, for labels such as `web.unit`; undefined if labels need no artifact
 * @param uncounted evidence that does not count, to say so if it is missing
 */
export function compareEvidence<Piece extends Evidence>(
  requirements: readonly TemplateRequirement[],
  evidence: readonly Piece[],
  artifact?: string,
  uncounted?: UncountedEvidence,
): readonly EvidenceStatus<Piece>[] {
  const extra = new Set(selectFrom(evidence, {}));
  const byName = Map.groupBy(evidence, (piece) => evidenceName(piece.name));
  const required = requirements.map((requirement): EvidenceStatus<Piece> => {
    const { name, type, level, from, enforce_from: requiredFrom } = requirement;
    const named = byName.get(name)?.filter((piece) => level === 'any' || piece.level === level) ?? [];
    const found = selectFrom(named, requirement).find((piece) => isOfType(piece, type));
    if (found !== undefined) extra.delete(found);
    const judged = found === undefined ? undefined : compileRequirement(requirement)(found);
    const label = toLabel(name, found?.level ?? level, artifact);
    const mismatched = found === undefined ? selectFrom(named, {})[0] : undefined;
    const isUncounted = found === undefined && mismatched === undefined && hasName(uncounted, name);
    return {
      ...{ name, label, type, isRequired: true, requiredFrom, evidence: judged },
      ...(mismatched === undefined ? {} : { mismatched, from }),
      ...(isUncounted ? { uncounted: describeAudience(uncounted.audience) } : {}),
    };
  });
  const others = [...extra].map((piece): EvidenceStatus<Piece> => {
    const name = evidenceName(piece.name);
    return { name, label: toLabel(name, piece.level, artifact), type: piece.type, isRequired: false, evidence: piece };
  });
  return [...required, ...others];
}

/** Whether there is evidence of this name that does not count. */
export function hasName(uncounted: UncountedEvidence | undefined, name: string): uncounted is UncountedEvidence {
  return uncounted?.evidence.some((piece) => evidenceName(piece.name) === name) ?? false;
}

function toLabel(name: string, level: TemplateRequirement['level'], artifact: string | undefined): string {
  return level === 'trail' || artifact === undefined ? name : `${artifact}.${name}`;
}

/** Why an artifact of a template is missing. */
export type MissingArtifact = Pick<JudgementReason, 'about' | 'value' | 'limit' | 'rule'>;

/**
 * Judges an artifact or a trail (public documentation of such a service, Compliance): NON-COMPLIANT if any evidence is
 * non-compliant, required or not; else INCOMPLETE if anything required is missing or any evidence is inconclusive; else
 * COMPLIANT. The order of the evidence does not matter.
 *
 * Our choice, because the rule does not cover it: if nothing is required and nothing was reported, the state is
 * COMPLIANT, and the reason says that nothing was required.
 *
 * @param owner whose template it is
 * @param missingArtifacts why artifacts of the template are missing
 */
export function judge(
  statuses: readonly EvidenceStatus[],
  owner: AppliedTemplate['owner'],
  missingArtifacts: readonly MissingArtifact[] = [],
): Judgement {
  const rule = `template of the ${owner}`;
  const reasons = orderReasons([
    ...statuses.flatMap((status) => listReasons(status, rule)),
    ...missingArtifacts.map((missing): JudgementReason => ({ state: 'missing', rule, ...missing })),
  ]);
  if (reasons.length > 0) {
    return {
      state: toArtifactState(verdictFromReasons(reasons)),
      info: describeReasons(reasons),
      reasons,
    };
  }
  const isAnyRequired = statuses.some(({ isRequired }) => isRequired);
  const labels = statuses.map(({ label }) => label);
  return { state: 'COMPLIANT', info: describeCompliant(labels, isAnyRequired, owner), reasons };
}

/** What keeps the evidence from being compliant. */
function listReasons(status: EvidenceStatus, rule: string): readonly JudgementReason[] {
  if (status.evidence !== undefined) return listEvidenceReasons(status.evidence, status.label);
  return [{ ...toMissingReason(status), rule }];
}

/** The reason for required evidence that is missing, perhaps because what was recorded has another type, or does not count. */
export function toMissingReason({
  label,
  type,
  mismatched,
  from,
  uncounted,
}: Pick<EvidenceStatus, 'label' | 'type' | 'mismatched' | 'from' | 'uncounted'>): JudgementReason {
  const source = mismatched === undefined ? undefined : toSource(mismatched);
  const located = { state: 'missing', about: label, ...(source === undefined ? {} : { source }) } as const;
  if (mismatched !== undefined && from !== undefined && isOfType(mismatched, type)) {
    return { ...located, ...explainUncounted(mismatched, from) };
  }
  return {
    ...located,
    value: mismatched === undefined ? describeMissing(uncounted) : `recorded as ${mismatched.type}`,
    ...(type === '*' ? {} : { limit: `${type} is required` }),
  };
}

function isOfType(piece: Pick<Evidence, 'type'>, type: string): boolean {
  return type === '*' || piece.type === type;
}

function describeMissing(uncounted: string | undefined): string {
  return uncounted === undefined ? 'not recorded' : `recorded only with keys that do not count for ${uncounted}`;
}

/** A status in words, without a full stop: what keeps it from being compliant, or else the reason of its evidence. */
export function describeStatus(status: EvidenceStatus): string {
  if (status.evidence !== undefined) return describeEvidence(status.evidence);
  return describeFault(toMissingReason(status));
}

/** The same for a piece of evidence. */
export function describeEvidence(evidence: RecordedVerdict): string {
  if (evidence.verdict === 'compliant') return evidence.reason;
  return listEvidenceReasons(evidence, '')
    .map(describeFault)
    .reduce((words, next) => `${toSentence(words)} ${next}`);
}

/**
 * Leaves out compliant evidence that has the name of a requirement, but does not satisfy it: beside "missing" for the same
 * name, it would look like a contradiction.
 */
export function withoutMismatched<Piece extends Evidence>(
  statuses: readonly EvidenceStatus<Piece>[],
): readonly EvidenceStatus<Piece>[] {
  const mismatched = new Set(statuses.map((status) => status.mismatched));
  return statuses.filter(
    ({ isRequired, evidence }) => isRequired || evidence?.verdict !== 'compliant' || !mismatched.has(evidence),
  );
}

/** What keeps a piece of evidence from being compliant: each of its faults; none if it is compliant. */
export function listEvidenceReasons(evidence: RecordedVerdict, label: string): readonly JudgementReason[] {
  const { verdict, reason, faults } = evidence;
  const source = toSource(evidence);
  const reasons = toReasons(label, { verdict, faults: faults.length > 0 ? faults : [{ value: reason }] });
  return source === undefined ? reasons : reasons.map((each) => ({ ...each, source }));
}

function toSource({ flow, trail, id }: RecordedVerdict): ReasonSource | undefined {
  if (flow === undefined || trail === undefined || id === undefined) return undefined;
  return { evidence: { flow, trail, attestation: id } };
}

/** The reasons of an artifact, with its trail as the source of those that have none. */
export function locateArtifactReasons(
  reasons: readonly JudgementReason[],
  { applied: { template }, artifact: { flow, report } }: Pick<ArtifactDetails, 'applied' | 'artifact'>,
): readonly JudgementReason[] {
  const { trail_name: trail, filename, template_reference_name: name = filename } = report;
  return locateReasons(reasons, { flow, trail }, isListTemplate(template) ? name : undefined);
}

/** What the judgement of an artifact is based on. */
export type JudgedDetails<Piece extends Evidence = Evidence> = Pick<ArtifactDetails, 'applied'> & {
  readonly evidence: readonly Piece[];
  readonly artifact: AttributedRecord & {
    readonly report: { readonly template_reference_name?: string | undefined; readonly filename?: string };
  };
  /** The evidence that does not count for the audience of the judgement. */
  readonly uncounted?: UncountedEvidence | undefined;
};

/** The evidence that an artifact requires, in the order of the template, and then its other evidence. */
export function listArtifactEvidence<Piece extends Evidence>({
  applied,
  artifact,
  evidence,
  uncounted,
}: JudgedDetails<Piece>): readonly EvidenceStatus<Piece>[] {
  const { template_reference_name: reference } = artifact.report;
  // A list does not distinguish levels, so no name is ambiguous.
  const name = isListTemplate(applied.template) ? undefined : reference;
  return compareEvidence(allRequirements(applied.template, reference), evidence, name, uncounted);
}

/**
 * Judges an artifact by its current evidence and the current template of its trail or flow. If a template file does not
 * list the artifact, `info` says so: without evidence of its own, the artifact may only look compliant.
 */
export function judgeArtifact(details: JudgedDetails): Judgement {
  const { applied, artifact } = details;
  const { template, owner, announced } = applied;
  const judgement = judge(listArtifactEvidence(details), owner, findUncountedReport(details));
  const later = announced && listArtifactEvidence({ ...details, applied: { owner, template: announced } });
  const notes = describeAnnounced(later ?? [], owner);
  if (isListTemplate(template) || template.artifacts.length === 0) return addNotes(judgement, notes);
  if (template.artifacts.some(({ name }) => name === artifact.report.template_reference_name)) {
    return addNotes(judgement, notes);
  }
  const outside = `It is not an artifact of the template of the ${owner}, so only the evidence of its trail is required.`;
  return addNotes(judgement, [outside, ...notes]);
}

export function addNotes(judgement: Judgement, notes: readonly string[]): Judgement {
  if (notes.length === 0) return judgement;
  return { ...judgement, info: [judgement.info, ...notes].join(' '), note: notes.join(' ') };
}

/** Why a trail with the same evidence would not comply if it began later, a sentence for each day. */
export function describeAnnounced(
  statuses: readonly EvidenceStatus[],
  owner: AppliedTemplate['owner'],
): readonly string[] {
  const byDay = Map.groupBy(statuses, ({ requiredFrom = '' }) => requiredFrom);
  return [...byDay]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([day, required]) => {
      const { reasons } = judge(required, owner);
      if (day === '' || reasons.length === 0) return [];
      return [`A trail that begins on ${day} or later would not comply: ${describeReasons(reasons)}`];
    });
}

/** Why a report does not count: the template names whose reports of artifacts count, and this is none of them. */
function findUncountedReport({ applied: { template }, artifact }: JudgedDetails): readonly MissingArtifact[] {
  const { template_reference_name: reference, filename = '' } = artifact.report;
  const about = reference ?? filename;
  if (isListTemplate(template)) return [];
  if (template.artifacts.every(({ name }) => name !== reference)) {
    const isOpen = listArtifactRecorders(template).length === 0;
    return isOpen ? [] : [{ about, value: 'not an artifact of the template, which says whose artifacts count' }];
  }
  const from = findArtifactRecorders(template, reference);
  return from === undefined || countsFrom(artifact, from) ? [] : [{ about, ...explainUncounted(artifact, from) }];
}

function describeCompliant(labels: readonly string[], isAnyRequired: boolean, owner: string): string {
  if (labels.length === 0) return `The template of the ${owner} requires no evidence, and none was reported.`;
  const all = `All evidence is compliant: ${[...new Set(labels)].sort().join(', ')}.`;
  return isAnyRequired ? all : `${all} The template of the ${owner} requires none.`;
}
