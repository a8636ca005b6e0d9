import { getSnapshot } from '../../contract/snapshot-details.ts';
import { diffEnvironments } from '../../contract/snapshot.ts';
import type { ComparedSnapshots, SnapshotDetails } from './snapshot-use-cases.ts';
import { compareArtifacts, type ComparedArtifact } from './snapshot-difference.ts';
import type { Snapshot } from './snapshot.ts';
import { describePolicy } from '../policy/provenance-requirement.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import {
  clip,
  pageLink,
  renderEmpty,
  renderFacts,
  renderFailure,
  renderHash,
  renderPager,
  renderResult,
  renderTime,
  renderVerdict,
  toVerdictState,
} from '../platform/pages/components.ts';
import { renderComparisonForm, renderDifferenceLink } from '../environment/environment-page.ts';
import { html, type Hole, type Html } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { describeVerdict, renderArtifactLink, renderReasons, renderRunning } from './running-html.ts';
import { renderTable } from '../platform/pages/table.ts';

/** Creates the page of a snapshot: its verdict and why, and what ran. `latest` is the number of the latest snapshot. */
export function toSnapshotPage(context: PageContext, details: SnapshotDetails, latest: number): Page {
  const { org, environment, number, from, judgement } = details.snapshot;
  const { paths } = context;
  return {
    title: `${environment}, snapshot ${number}`,
    section: 'environments',
    crumbs: [
      { name: 'Environments', path: paths.environments(org) },
      { name: environment, path: paths.environment(org, environment) },
    ],
    api: [apiRequest(getSnapshot, { org, env_name: environment, snapshot: String(number) })],
    content: html`${renderResult(toVerdictState(judgement.compliant), describeVerdict(details))}
      ${renderFacts([
        ['From', renderTime(from, context)],
        ['Policies', judgement.policies.map(({ name, version }) => describePolicy(name, version)).join('; ')],
        [
          'Allowed by an exception',
          judgement.allowed.length === 0 ? undefined : `${judgement.allowed.length} artifacts`,
        ],
        ['Difference', renderDifferenceLink(context, { org, environment, number })],
      ])}
      ${renderReasons(context, details)}
      <h2>Running</h2>
      ${renderRunning(context, details)}
      ${renderPager(
        number > 1 ? paths.snapshot(org, environment, number - 1) : undefined,
        number < latest ? paths.snapshot(org, environment, number + 1) : undefined,
        `Snapshot ${number} of ${latest}`,
      )}`,
  };
}

/** Two snapshots that were found, and the expressions that selected them. */
export interface ComparisonView {
  readonly org: string;
  readonly first: { readonly expression: string; readonly snapshot: Snapshot };
  readonly second: { readonly expression: string; readonly snapshot: Snapshot };
  readonly provenance: ComparedSnapshots['provenance'];
}

/** Creates the page with the difference between two snapshots. */
export function toComparisonPage(context: PageContext, view: ComparisonView): Page {
  const { org, first, second } = view;
  const difference = compareArtifacts(first.snapshot.artifacts, second.snapshot.artifacts);
  const part = (title: string, artifacts: readonly ComparedArtifact[]): Html =>
    html`<h2>${title}</h2>
      ${renderCompared(context, view, title, artifacts)}`;
  return {
    title: 'Difference between two snapshots',
    section: 'environments',
    crumbs: [{ name: 'Environments', path: context.paths.environments(org) }],
    api: [apiRequest(diffEnvironments, { org }, { snappish1: first.expression, snappish2: second.expression })],
    content: html`${renderTable({
      label: 'The two snapshots',
      columns: ['Snapshot', 'Verdict', 'From'],
      rows: [first, second].map(({ snapshot: { environment, number, from, judgement } }): readonly Hole[] => [
        pageLink(context.paths.snapshot(org, environment, number), `${environment}, snapshot ${number}`),
        renderVerdict(judgement.compliant),
        renderTime(from, context),
      ]),
      empty: html``,
    })}
    ${part('Only in the second', difference.onlyInSecond)} ${part('Only in the first', difference.onlyInFirst)}
    ${part('In both, with another number of instances', difference.changed)} ${part('In both', difference.notChanged)}
    ${renderComparisonForm(context, org, first.expression, second.expression)}`,
  };
}

/** Creates the page that says why two snapshots cannot be compared, with the form. */
export function toFailedComparisonPage(
  context: PageContext,
  {
    org,
    first,
    second,
    problem,
  }: { readonly org: string; readonly first: string; readonly second: string; readonly problem: string | undefined },
): Page {
  return {
    title: 'Difference between two snapshots',
    section: 'environments',
    crumbs: [{ name: 'Environments', path: context.paths.environments(org) }],
    status: problem === undefined ? 200 : 400,
    content: html`${problem === undefined ? undefined : renderFailure(clip(problem))}
    ${renderComparisonForm(context, org, first, second)}`,
  };
}

function renderCompared(
  context: PageContext,
  view: ComparisonView,
  label: string,
  artifacts: readonly ComparedArtifact[],
): Html {
  return renderTable({
    label,
    columns: ['Artifact', 'Fingerprint', 'Instances, first', 'Instances, second'],
    rows: artifacts.map(({ artifact, instances: [one, other] }): readonly Hole[] => [
      renderArtifactLink(context, view, artifact),
      renderHash(artifact.fingerprint),
      String(one),
      String(other),
    ]),
    empty: renderEmpty('Nothing.'),
    maximumBytes: 14_000,
  });
}
