import type { Artifact } from '../../contract/artifact.ts';
import { describeFault, type Reason } from '../../contract/reason.ts';
import { requiredEvidence } from '../../contract/template.ts';
import { type EvidenceItem, toEvidenceItem } from '../evidence-state.ts';

/** The attestations that an artifact requires or has, by the names of the template: `unit` for `web.unit`. */
export interface ArtifactEvidence {
  /** Undefined if the service shows no template: then nothing is known to be missing or extra. */
  readonly required: ReadonlySet<string> | undefined;
  readonly items: ReadonlyMap<string, EvidenceItem>;
}

/**
 * Lists the attestations of an artifact.
 *
 * @param reasons why the artifact is not compliant: they decide about what the evidence shows as compliant, such as an
 * attestation of the right name and the wrong type
 */
export function listEvidence(artifact: Artifact, reasons: readonly Reason[] = []): ArtifactEvidence {
  const required = artifact.template === undefined ? undefined : new Set(requiredEvidence(artifact.template));
  const items = toItems(artifact.evidence ?? {}, required);
  for (const [name, item] of items) {
    const reason = reasons.find(({ about }) => about === name || about.endsWith(`.${name}`));
    if (item.state === 'compliant' && reason !== undefined) items.set(name, toDoubtfulItem(item, reason));
  }
  return { required, items };
}

function toItems(
  evidence: Readonly<Record<string, unknown>>,
  required: ReadonlySet<string> | undefined,
): Map<string, EvidenceItem> {
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

function toDoubtfulItem(item: EvidenceItem, { state, value, limit }: Reason): EvidenceItem {
  if (state !== 'missing') return { ...item, state };
  return { ...item, state: 'mismatched', reason: describeFault({ value, ...(limit === undefined ? {} : { limit }) }) };
}
