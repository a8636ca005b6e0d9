import { requiredEvidence } from '../../contract/template.ts';
import type { Looked } from './parse-verdict.ts';
import { knownFingerprint } from './artifact-facts.ts';
import { judgeLooked, worstFirst, type Findings, type JudgedArtifact } from './judge-artifacts.ts';
import { toEvidenceItem, type EvidenceItem } from '../evidence-state.ts';
import { abbreviate } from '../report.ts';

/** An artifact, and what is known of each attestation that is required of it or recorded for it. */
export interface Subject {
  readonly looked: Looked;
  /** What it is called: told apart from others of its name by the fingerprint. */
  readonly label: string;
  readonly judged: JudgedArtifact | undefined;
  /** Undefined if the service shows no template: then nothing is known to be missing, or to be extra. */
  readonly required: ReadonlySet<string> | undefined;
  readonly pieces: ReadonlyMap<string, EvidenceItem>;
}

/** The artifacts as the report shows them, the worst first. */
export function evidenceSubjects(findings: Findings): readonly Subject[] {
  const sorted = worstFirst(findings);
  const names = sorted.map((one) => nameOf(one));
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return sorted.map((looked, index) => {
    const name = names[index] ?? '';
    const artifact = looked.sighting.value?.artifact;
    const required = artifact?.template === undefined ? undefined : new Set(requiredEvidence(artifact.template));
    return {
      looked,
      label: repeated.has(name) ? `${name} ${abbreviate(knownFingerprint(looked))}` : name,
      judged: judgeLooked(looked, findings.environment),
      required,
      pieces: piecesOf(artifact?.evidence ?? {}, required),
    };
  });
}

function nameOf(one: Looked): string {
  return one.name ?? one.sighting.value?.artifact.filename ?? abbreviate(knownFingerprint(one));
}

/** By the names of the template: `unit` for `web.unit`. */
function piecesOf(
  evidence: Readonly<Record<string, unknown>>,
  required: ReadonlySet<string> | undefined,
): ReadonlyMap<string, EvidenceItem> {
  const pieces = new Map(Object.entries(evidence).map(([name, entry]) => [name, toEvidenceItem(entry)]));
  for (const name of required ?? []) {
    if (!pieces.has(name)) pieces.set(name, { state: 'missing' });
  }
  for (const [name, piece] of [...pieces]) {
    const own = name.slice(name.indexOf('.') + 1);
    if (own === name || required?.has(own) !== true || pieces.get(own)?.state !== 'missing') continue;
    pieces.delete(name);
    pieces.set(own, piece);
  }
  return pieces;
}
