import { describeFault } from '../../contract/reason.ts';
import { renderSubject } from '../attestation/evidence-html.ts';
import { clip, pageLink, renderBadge, renderHash, renderTime, toVerdictState } from '../platform/pages/components.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';
import type { ShownArtifact } from './content-views.ts';
import type { ShownSnapshot } from './snapshot-routes.ts';
import type { SnapshotDetails } from './snapshot-use-cases.ts';

type JudgedContent = Pick<ShownSnapshot, 'snapshot' | 'reasons' | 'running'>;

export function describeVerdict(details: JudgedContent): string {
  const { brokenFrom, overriddenUntil } = details.snapshot.judgement;
  const later = brokenFrom === undefined ? '' : ` It breaks rules that are enforced from ${brokenFrom} on.`;
  const ends = overriddenUntil === undefined ? '' : ` An override of its evidence ends on ${overriddenUntil}.`;
  return `${describeCurrentVerdict(details)}${later}${ends}`;
}

function describeCurrentVerdict({ snapshot, reasons, running: { allowed } }: JudgedContent): string {
  const { compliant, furtherBreaches = 0, unjudgeable } = snapshot.judgement;
  if (unjudgeable !== undefined) return `It could not be judged, so it is not compliant: ${unjudgeable}.`;
  if (compliant === null) return 'No policy is attached, so nothing is judged.';
  if (compliant) {
    const exceptions = allowed === 0 ? '' : `; ${allowed} of it only because it is allowed`;
    return `Everything that runs here complies with the policies${exceptions}.`;
  }
  const atLeast = furtherBreaches > 0 ? 'at least ' : '';
  return `What runs here does not meet ${atLeast}${reasons.length} ${reasons.length === 1 ? 'requirement' : 'requirements'}.`;
}

/** Renders why a snapshot is not compliant; undefined if it is, or if nothing was judged. */
export function renderReasons(
  context: PageContext,
  { snapshot, reasons }: Pick<SnapshotDetails, 'snapshot' | 'reasons'>,
): Html | undefined {
  if (reasons.length === 0) return undefined;
  return html`<h2>Why it is not compliant</h2>
    ${renderTable({
      label: 'Why it is not compliant',
      columns: ['Evidence or artifact', 'Why', 'Broken rule'],
      rows: reasons.map((reason): readonly Hole[] => {
        const { rule, value, limit, description } = reason;
        const fault = {
          value,
          ...(limit === undefined ? {} : { limit }),
          ...(description === undefined ? {} : { description }),
        };
        return [renderSubject(context, snapshot.org, reason), clip(describeFault(fault), 300), clip(rule ?? '', 120)];
      }),
      rest: 'are not shown here. The files below have all of them.',
      maximumBytes: 10_000,
    })}`;
}

/** Links to the artifact in the flow of its latest report, or only names it if it was not reported. */
export function renderArtifactLink(
  { paths }: PageContext,
  { org, builds }: { readonly org: string } & Pick<ShownSnapshot, 'builds'>,
  { name, fingerprint }: { readonly name: string; readonly fingerprint: string },
): Hole {
  const flow = builds.get(fingerprint)?.flow;
  const words = clip(name, 120);
  return flow === undefined ? words : pageLink(paths.artifact(org, flow, fingerprint), words);
}

export function renderRunning(context: PageContext, { snapshot, running, builds, starts }: ShownSnapshot): Html {
  const unknownFlow = context.viewer?.isLimited === true ? 'none that you may see' : 'not reported to any';
  return renderTable({
    label: 'Running artifacts',
    columns: [
      'Artifact',
      'Verdict',
      ...(starts === undefined ? [] : ['Runs since']),
      'Fingerprint',
      'Flow',
      'Instances',
    ],
    rows: running.items.map((artifact): readonly Hole[] => {
      const { fingerprint, isCompliant, isAllowed, isNew } = artifact;
      const flow = builds.get(fingerprint)?.flow;
      const start = starts?.get(fingerprint);
      return [
        html`${renderArtifactLink(context, { org: snapshot.org, builds }, artifact)}
        ${isNew && snapshot.number > 1 ? html` ${renderBadge('extra', 'New')}` : undefined}`,
        renderBadge(toVerdictState(isCompliant), isAllowed ? 'Allowed' : undefined),
        ...(starts === undefined ? [] : [start === undefined ? '' : renderTime(start, context)]),
        renderHash(fingerprint),
        flow === undefined ? unknownFlow : pageLink(context.paths.flow(snapshot.org, flow), flow),
        describeInstances(artifact),
      ];
    }),
    more: running.total - running.items.length,
    empty: 'Nothing runs here.',
    maximumBytes: 16_000,
  });
}

/** The names of the instances, and the number of those without a name. */
function describeInstances({ instances, names }: ShownArtifact): string {
  const shown = names.map((name) => clip(name, 80));
  const others = instances - shown.length;
  if (shown.length === 0) return String(others);
  return others === 0 ? shown.join(', ') : `${shown.join(', ')} and ${others} more`;
}
