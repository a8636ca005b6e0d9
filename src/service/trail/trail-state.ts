import { artifactItem } from '../../contract/template.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import {
  addNotes,
  compareEvidence,
  describeAnnounced,
  type Evidence,
  type EvidenceStatus,
  judge,
  judgeArtifact,
  type Judgement,
  type MissingArtifact,
} from '../artifact/artifact-state.ts';
import { explainUncounted } from '../requirement/recorder.ts';
import {
  type AppliedTemplate,
  artifactRequirements,
  findArtifactRecorders,
  isListTemplate,
  type Template,
  trailRequirements,
} from '../template/template.ts';

/** An artifact of a trail: one that was reported, or one that the template requires. */
export interface TrailArtifact<Piece extends Evidence = Evidence> {
  /** Its name in the template, or else the name of its file. */
  readonly name: string;
  /** Its latest report under this name that counts; undefined if there is none. */
  readonly reported: ReportedArtifact | undefined;
  /** A report that does not count for the artifact of the template with its name. */
  readonly mismatched?: ReportedArtifact | undefined;
  /** Whether its report does not count for the artifact of the template that it names. */
  readonly isMismatched?: boolean;
  /** The evidence that counts for it, that of the trail included. */
  readonly evidence: readonly Piece[];
}

export interface TrailEvidence<Piece extends Evidence = Evidence> {
  readonly applied: AppliedTemplate;
  /** The evidence that counts for the trail itself. */
  readonly evidence: readonly Piece[];
  /** The artifacts of the template, whether they were reported or not, and all others that were reported. */
  readonly artifacts: readonly TrailArtifact<Piece>[];
}

export interface TrailArtifactStatus<Piece extends Evidence = Evidence> {
  readonly artifact: TrailArtifact<Piece>;
  /** That of the artifact itself, which needs the evidence of the trail, too. */
  readonly state: Judgement['state'] | 'MISSING';
  /** False if the template does not name it. */
  readonly isRequired: boolean;
  readonly evidence: readonly EvidenceStatus<Piece>[];
}

export interface TrailJudgement<Piece extends Evidence = Evidence> extends Judgement {
  readonly evidence: readonly EvidenceStatus<Piece>[];
  readonly artifacts: readonly TrailArtifactStatus<Piece>[];
}

/** The names of the artifacts that the template requires. A list only requires that there is one. */
export function listRequiredArtifacts(template: Template): readonly string[] {
  if (!isListTemplate(template)) return template.artifacts.map(({ name }) => name);
  return template.some((item) => item.split(',').includes(artifactItem)) ? [artifactItem] : [];
}

/**
 * Judges a trail by the rule for artifacts (`judge`): by all evidence of the trail and of its artifacts. An artifact of
 * the template that was not reported is MISSING and makes the trail INCOMPLETE.
 */
export function judgeTrail<Piece extends Evidence>(trail: TrailEvidence<Piece>): TrailJudgement<Piece> {
  const { template, owner } = trail.applied;
  const artifacts = trail.artifacts.map((artifact) => judgeTrailArtifact(trail.applied, artifact));
  const evidence = compareEvidence(ownRequirements(trail), trail.evidence);
  const missing = artifacts
    .filter(({ state }) => state === 'MISSING')
    .map(({ artifact }) => explainMissing(template, artifact));
  // With a list, the evidence of the missing artifact is already compared with the list.
  const judged = artifacts.filter(({ state }) => state !== 'MISSING' || !isListTemplate(template));
  const all = [...evidence, ...judged.flatMap((artifact) => artifact.evidence)];
  const judgement = addNotes(judge(all, owner, missing), describeAnnounced(compareLater(trail), owner));
  return { ...judgement, evidence, artifacts };
}

/** Compares the evidence with what is required only of trails that begin later. */
function compareLater({
  applied: { announced, owner },
  evidence,
  artifacts,
}: TrailEvidence): readonly EvidenceStatus[] {
  if (announced === undefined) return [];
  const ofArtifacts = artifacts.map((artifact) => judgeTrailArtifact({ owner, template: announced }, artifact));
  return [
    ...compareEvidence(trailRequirements(announced), evidence),
    ...ofArtifacts.flatMap((artifact) => artifact.evidence),
  ];
}

/**
 * What is required of the trail itself. A list names evidence of artifacts: that of the trail counts for all of them,
 * and alone if none was reported yet.
 */
function ownRequirements({
  applied: { template },
  evidence,
  artifacts,
}: TrailEvidence): ReturnType<typeof trailRequirements> {
  if (!isListTemplate(template)) return trailRequirements(template);
  const listed = artifactRequirements(template, undefined);
  if (artifacts.every(({ reported }) => reported === undefined)) return listed;
  return listed.filter((required) => compareEvidence([required], evidence)[0]?.evidence !== undefined);
}

function explainMissing(template: Template, { name, mismatched }: TrailArtifact): MissingArtifact {
  const from = findArtifactRecorders(template, name);
  if (mismatched === undefined || from === undefined) return { about: name, value: 'not reported' };
  return { about: name, ...explainUncounted(mismatched, from) };
}

function judgeTrailArtifact<Piece extends Evidence>(
  applied: AppliedTemplate,
  artifact: TrailArtifact<Piece>,
): TrailArtifactStatus<Piece> {
  const { template } = applied;
  const { name, reported, isMismatched = false } = artifact;
  // A file name is not a name in the template, even if it is the same.
  const own = reported === undefined ? name : reported.report.template_reference_name;
  const reference = isMismatched ? undefined : own;
  const isList = isListTemplate(template);
  const pieces = isList ? artifact.evidence : artifact.evidence.filter(({ level }) => level === 'artifact');
  const evidence = compareEvidence(artifactRequirements(template, reference), pieces, name);
  const state =
    reported === undefined
      ? 'MISSING'
      : judgeArtifact({ applied, artifact: reported, evidence: artifact.evidence }).state;
  return {
    artifact,
    state,
    isRequired: isList || listRequiredArtifacts(template).some((each) => each === reference),
    evidence,
  };
}
