import { requiredEvidence } from '../../contract/template.ts';
import { toEvidenceItem, type EvidenceItem } from '../evidence-state.ts';
import { abbreviate } from '../report.ts';
import { worstFirst, type ArtifactJudgement } from './judge-artifacts.ts';

/** An artifact with the state of each attestation that it requires or has. */
export interface ArtifactEvidence {
  readonly judged: ArtifactJudgement;
  /** What the report calls it; with the fingerprint if several have the same name. */
  readonly label: string;
  /** Undefined if the service shows no template: then nothing is known to be missing or extra. */
  readonly required: ReadonlySet<string> | undefined;
  /** By the names of the template: `unit` for `web.unit`. */
  readonly items: ReadonlyMap<string, EvidenceItem>;
}

/** The evidence of all artifacts, the worst first. */
export function collectEvidence(artifacts: readonly ArtifactJudgement[]): readonly ArtifactEvidence[] {
  const sorted = worstFirst(artifacts);
  const names = sorted.map(artifactName);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return sorted.map((judged, index) => {
    const { artifact, fingerprint } = judged;
    const name = names[index] ?? '';
    const required = artifact?.template === undefined ? undefined : new Set(requiredEvidence(artifact.template));
    return {
      judged,
      label: repeated.has(name) ? `${name} ${abbreviate(fingerprint)}` : name,
      required,
      items: toEvidenceItems(artifact?.evidence ?? {}, required),
    };
  });
}

function artifactName({ query, artifact, fingerprint }: ArtifactJudgement): string {
  return query.name ?? artifact?.filename ?? abbreviate(fingerprint);
}

function toEvidenceItems(
  evidence: Readonly<Record<string, unknown>>,
  required: ReadonlySet<string> | undefined,
): ReadonlyMap<string, EvidenceItem> {
  const items = new Map(Object.entries(evidence).map(([name, entry]) => [name, toEvidenceItem(entry)]));
  for (const name of required ?? []) {
    if (!items.has(name)) items.set(name, { state: 'missing' });
  }
  for (const [name, item] of [...items]) {
    const own = name.slice(name.indexOf('.') + 1);
    if (own === name || required?.has(own) !== true || items.get(own)?.state !== 'missing') continue;
    items.delete(name);
    items.set(own, item);
  }
  return items;
}
