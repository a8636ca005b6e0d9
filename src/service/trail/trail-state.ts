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
  /** False if there are more artifacts, or more evidence, than are judged. Default: true. */
  readonly isComplete?: boolean;
}

export interface TrailArtifactStatus<Piece extends Evidence = Evidence> {
  readonly artifact: TrailArtifact<Piece>;
  /** The state that the artifact has on its own page, which also depends on the evidence of the trail. */
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
  const missing = [
    ...artifacts.filter(({ state }) => state === 'MISSING').map(({ artifact }) => explainMissing(template, artifact)),
    ...(trail.isComplete === false ? [unjudged] : []),
  ];
  // With a list, the evidence of the missing artifact is already compared with the list.
  const judged = artifacts.filter(({ state }) => state !== 'MISSING' || !isListTemplate(template));
  const all = [...evidence, ...judged.flatMap((artifact) => artifact.evidence)];
  const judgement = addNotes(judge(all, owner, missing), describeAnnounced(compareLater(trail), owner));
  return { ...judgement, evidence, artifacts };
}

const unjudged: MissingArtifact = {
  about: 'further artifacts',
  value: 'not judged, because there are too many reports or too much evidence',
  limit: 'report them to another trail',
  rule: 'limits of a trail',
};

/** Compares the evidence with what is required only of trails that begin later. */
function compareLater({ applied: { announced }, evidence, artifacts }: TrailEvidence): readonly EvidenceStatus[] {
  if (announced === undefined) return [];
  return [
    ...compareEvidence(trailRequirements(announced), evidence),
    ...artifacts.flatMap((artifact) => compareArtifact(announced, artifact)),
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

/** Why an artifact of the template is missing: nobody reported it, or a report of it does not count. */
export function explainMissing(template: Template, { name, mismatched }: TrailArtifact): MissingArtifact {
  const from = findArtifactRecorders(template, name);
  if (mismatched === undefined || from === undefined) return { about: name, value: 'not reported' };
  return { about: name, ...explainUncounted(mismatched, from) };
}

function judgeTrailArtifact<Piece extends Evidence>(
  applied: AppliedTemplate,
  artifact: TrailArtifact<Piece>,
): TrailArtifactStatus<Piece> {
  const { template } = applied;
  const { reported, evidence } = artifact;
  const reference = findReference(artifact);
  return {
    artifact,
    state: reported === undefined ? 'MISSING' : judgeArtifact({ applied, artifact: reported, evidence }).state,
    isRequired: isListTemplate(template) || listRequiredArtifacts(template).some((each) => each === reference),
    evidence: compareArtifact(template, artifact),
  };
}

/** Compares the evidence with what the template requires of the artifact, apart from what it requires of the trail. */
function compareArtifact<Piece extends Evidence>(
  template: Template,
  artifact: TrailArtifact<Piece>,
): readonly EvidenceStatus<Piece>[] {
  const { name, evidence } = artifact;
  const pieces = isListTemplate(template) ? evidence : evidence.filter(({ level }) => level === 'artifact');
  return compareEvidence(artifactRequirements(template, findReference(artifact)), pieces, name);
}

/** The name of the artifact in the template. A file name is none, even if it is the same. */
function findReference({ name, reported, isMismatched = false }: TrailArtifact): string | undefined {
  if (isMismatched) return undefined;
  return reported === undefined ? name : reported.report.template_reference_name;
}
