import { describeFault } from '../../contract/reason.ts';
import type { SnapshotDetails } from './snapshot-use-cases.ts';
import { findMovement } from './snapshot-events.ts';
import type { Instance } from './running-artifact.ts';
import { createArtifactVerdict } from './snapshot.ts';
import { clip, pageLink, renderBadge, renderEmpty, renderHash } from '../platform/pages/components.ts';
import { html, type Hole, type Html } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';
import { renderSubject } from '../attestation/evidence-html.ts';
import { renderTable } from '../platform/pages/table.ts';

/** Describes the verdict of a snapshot in a sentence. */
export function describeVerdict({ snapshot, reasons }: Pick<SnapshotDetails, 'snapshot' | 'reasons'>): string {
  const { compliant, furtherBreaches = 0, unjudgeable } = snapshot.judgement;
  if (unjudgeable !== undefined) return `It could not be judged, so it is not compliant: ${unjudgeable}.`;
  if (compliant === null) return 'No policy is attached, so nothing is judged.';
  if (compliant) return 'Everything that runs here complies with the policies.';
  const atLeast = furtherBreaches > 0 ? 'at least ' : '';
  return `What runs here does not meet ${atLeast}${reasons.length} ${reasons.length === 1 ? 'requirement' : 'requirements'}.`;
}

/** Renders why a snapshot is not compliant; undefined if it is, or if nothing was judged. */
export function renderReasons(context: PageContext, { snapshot, reasons }: SnapshotDetails): Html | undefined {
  if (reasons.length === 0) return undefined;
  return html`<h2>Why it is not compliant</h2>
    ${renderTable({
      label: 'Why it is not compliant',
      columns: ['About', 'Why', 'Required by'],
      rows: reasons.map((reason): readonly Hole[] => {
        const { rule, value, limit, description } = reason;
        const fault = {
          value,
          ...(limit === undefined ? {} : { limit }),
          ...(description === undefined ? {} : { description }),
        };
        return [renderSubject(context, snapshot.org, reason), clip(describeFault(fault), 300), clip(rule ?? '', 120)];
      }),
      empty: html``,
      maximumBytes: 10_000,
    })}`;
}

/** Links to the artifact in the flow of its latest report, or only names it if it was not reported. */
export function renderArtifactLink(
  { paths }: PageContext,
  { org, provenance }: { readonly org: string } & Pick<SnapshotDetails, 'provenance'>,
  { name, fingerprint }: { readonly name: string; readonly fingerprint: string },
): Hole {
  const flow = provenance.get(fingerprint)?.flow;
  const words = clip(name, 120);
  return flow === undefined ? words : pageLink(paths.artifact(org, flow, fingerprint), words);
}

/** Renders what runs in a snapshot. */
export function renderRunning(context: PageContext, details: SnapshotDetails): Html {
  const { snapshot, members, previous, provenance } = details;
  const complies = createArtifactVerdict(snapshot, members);
  const { started } = findMovement(previous, snapshot.artifacts);
  const isNew = new Set(snapshot.number === 1 ? [] : started);
  const isJudged = snapshot.judgement.compliant !== null;
  const unknownFlow = context.viewer?.isLimited === true ? 'none that you may see' : 'not reported to any';
  return renderTable({
    label: 'Running artifacts',
    columns: ['Artifact', 'Verdict', 'Fingerprint', 'Flow', 'Instances'],
    rows: snapshot.artifacts.map((artifact): readonly Hole[] => {
      const { fingerprint, instances } = artifact;
      const flow = provenance.get(fingerprint)?.flow;
      return [
        html`${renderArtifactLink(context, { org: snapshot.org, provenance }, artifact)}
        ${isNew.has(fingerprint) ? html` ${renderBadge('extra', 'New')}` : undefined}`,
        renderBadge(isJudged ? (complies(artifact) ? 'COMPLIANT' : 'NON-COMPLIANT') : 'unjudged'),
        renderHash(fingerprint),
        flow === undefined ? unknownFlow : pageLink(context.paths.flow(snapshot.org, flow), flow),
        describeInstances(instances),
      ];
    }),
    empty: renderEmpty('Nothing runs here.'),
    maximumBytes: 16_000,
  });
}

/** The maximum number of instances of an artifact that are named. */
const maximumNames = 5;

/** The names of the instances, and the number of those without a name. */
function describeInstances(instances: readonly Instance[]): string {
  const names = instances.flatMap(({ pod }) => (pod === '' ? [] : [clip(pod, 80)]));
  const shown = names.slice(0, maximumNames);
  const others = instances.length - shown.length;
  if (shown.length === 0) return String(others);
  return others === 0 ? shown.join(', ') : `${shown.join(', ')} and ${others} more`;
}
