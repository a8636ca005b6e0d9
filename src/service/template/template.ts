import { requiredEvidence } from '../../contract/template.ts';
import { hasRequirement, listRecorderNames, type Requirement } from '../requirement/requirement.ts';

/** An attestation that a template file requires. */
export interface RequiredAttestation extends Requirement {
  readonly name: string;
  /** The type that it must have; `*` for any. */
  readonly type: string;
  /** The first day in UTC of the trails that it is required of; all, if there is none. */
  readonly enforce_from?: string;
}

export interface TemplateArtifact extends Pick<Requirement, 'from'> {
  readonly name: string;
  readonly attestations: readonly RequiredAttestation[];
}

export interface FileTemplate {
  /** The file as it was uploaded. */
  readonly text: string;
  /** The attestations of the trail itself. */
  readonly attestations: readonly RequiredAttestation[];
  readonly artifacts: readonly TemplateArtifact[];
}

/**
 * A template in one of its two forms: the list of operation 1, which names evidence that every artifact must have
 * (`requiredEvidence`), or a file, which distinguishes the trail and its artifacts.
 */
export type Template = readonly string[] | FileTemplate;

/** The template that applies to a trail: its own, or else that of its flow. */
export interface AppliedTemplate {
  readonly owner: 'flow' | 'trail';
  readonly template: Template;
  /** What is required only of trails that begin later; undefined if nothing is. */
  readonly announced?: Template;
}

/** Whether evidence is about a trail, or about an artifact. */
export type Level = 'trail' | 'artifact';

export interface TemplateRequirement extends RequiredAttestation {
  /** `any` in a list template, which does not distinguish levels. */
  readonly level: Level | 'any';
}

export function isListTemplate(template: Template): template is readonly string[] {
  return Array.isArray(template);
}

/** The number of names in the template. Each costs work in every verdict. */
export function countNames(template: Template): number {
  if (isListTemplate(template)) return requiredEvidence(template).length;
  return template.artifacts.reduce(
    (sum, { attestations }) => sum + 1 + attestations.length,
    template.attestations.length,
  );
}

/** Whether entries of the template are required only of trails that begin on a day or later. */
export function hasDays(template: Template): boolean {
  return listEntries(template).some(({ enforce_from: from }) => from !== undefined);
}

/** The entries of a template that are required of a trail that began on a day, or those that are announced for later. */
export function selectByDay<Form extends Template>(
  template: Form,
  day: string,
  which: 'required' | 'announced',
): Form | FileTemplate {
  if (isListTemplate(template)) return which === 'required' ? template : { text: '', attestations: [], artifacts: [] };
  const select = (list: readonly RequiredAttestation[]): readonly RequiredAttestation[] =>
    list.filter(({ enforce_from: from = '' }) => from <= day === (which === 'required'));
  const artifacts = template.artifacts.map((artifact) => ({
    ...artifact,
    attestations: select(artifact.attestations),
  }));
  return { text: template.text, attestations: select(template.attestations), artifacts };
}

function listEntries(template: Template): readonly RequiredAttestation[] {
  if (isListTemplate(template)) return [];
  return [template.attestations, ...template.artifacts.map(({ attestations }) => attestations)].flat();
}

/**
 * The template of a trail with the requirements of its flow, which it can neither drop nor loosen: entries of the flow
 * that require more than a type take the place of its own entries of the same name.
 */
export function keepRequirements(own: FileTemplate, ofFlow: Template): FileTemplate {
  if (isListTemplate(ofFlow)) return own;
  const kept = ofFlow.artifacts.map((artifact) => ({
    ...artifact,
    attestations: artifact.attestations.filter(hasRequirement),
  }));
  const named = new Set(own.artifacts.map(({ name }) => name));
  return {
    text: own.text,
    attestations: mergeEntries(own.attestations, ofFlow.attestations.filter(hasRequirement)),
    artifacts: [
      ...own.artifacts.map((artifact) => {
        const { attestations, ...required } = kept.find(({ name }) => artifact.name === name) ?? { attestations: [] };
        return { ...artifact, ...required, attestations: mergeEntries(artifact.attestations, attestations) };
      }),
      ...kept.filter(
        (artifact) => (artifact.attestations.length > 0 || hasRequirement(artifact)) && !named.has(artifact.name),
      ),
    ],
  };
}

function mergeEntries(
  own: readonly RequiredAttestation[],
  kept: readonly RequiredAttestation[],
): readonly RequiredAttestation[] {
  const names = new Set(kept.map(({ name }) => name));
  return [...own.filter(({ name }) => !names.has(name)), ...kept];
}

/** The length of all conditions in the template, in characters. They are read in every verdict. */
export function conditionLength(template: Template): number {
  return listEntries(template).reduce((sum, { require: text = '' }) => sum + text.length, 0);
}

/** The recorders whose evidence counts, also for what is announced, each once. */
export function listTemplateRecorders({ template, announced = [] }: AppliedTemplate): readonly string[] {
  return listRecorderNames([template, announced].flatMap(listEntries));
}

/** The recorders whose reports of an artifact count; undefined for all. */
export function findArtifactRecorders(template: Template, reference: string | undefined): Requirement['from'] {
  return isListTemplate(template) ? undefined : template.artifacts.find(({ name }) => name === reference)?.from;
}

/** The recorders whose reports of artifacts count, each once. */
export function listArtifactRecorders(template: Template): readonly string[] {
  return isListTemplate(template) ? [] : listRecorderNames(template.artifacts);
}

/** What the template requires of the trail itself. A list requires evidence only of artifacts. */
export function trailRequirements(template: Template): readonly TemplateRequirement[] {
  return isListTemplate(template) ? [] : template.attestations.map((required) => ({ ...required, level: 'trail' }));
}

/** What the template requires of an artifact itself, without the trail. */
export function artifactRequirements(
  template: Template,
  reference: string | undefined,
): readonly TemplateRequirement[] {
  if (isListTemplate(template)) {
    return requiredEvidence(template).map((name) => ({ name, type: '*', level: 'any' }));
  }
  const own = template.artifacts.find(({ name }) => name === reference)?.attestations ?? [];
  return own.map((required) => ({ ...required, level: 'artifact' }));
}

/** The properties of evidence that decide whether it satisfies a template. */
export interface TypedEvidence {
  readonly name: string;
  readonly type: string;
  /** The names of the artifacts that it is about; empty if it is about the trail. */
  readonly subjects: readonly string[];
}

/** The type that the template requires of evidence with this name, if it has another one and so does not satisfy it. */
export function findRequiredType(template: Template, { name, type, subjects }: TypedEvidence): string | undefined {
  const requirements =
    subjects.length === 0
      ? trailRequirements(template)
      : subjects.flatMap((subject) => artifactRequirements(template, subject));
  const types = requirements.filter((required) => required.name === name).map((required) => required.type);
  return types.some((required) => required === '*' || required === type) ? undefined : types[0];
}

/** Everything that decides the state of an artifact: the requirements of its trail and its own. */
export function allRequirements(template: Template, reference: string | undefined): readonly TemplateRequirement[] {
  return [...trailRequirements(template), ...artifactRequirements(template, reference)];
}
