import { getSnapshot } from '../../contract/snapshot-details.ts';
import { diffEnvironments } from '../../contract/snapshot.ts';
import { compareArtifacts, type ComparedArtifact } from './snapshot-difference.ts';
import type { Snapshot } from './snapshot.ts';
import { describePolicy } from '../policy/provenance-requirement.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
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
import { html, type Hole, type Html } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { describeVerdict, renderArtifactLink, renderReasons, renderRunning } from './running-html.ts';
import { renderTable } from '../platform/pages/table.ts';
import type { ErrorResponse } from '../../contract/endpoint.ts';
import { environmentName, orgName } from '../../contract/names.ts';
import { Type } from '../../contract/schema.ts';
import type { SnapshotSelector } from '../../contract/snapshot-expression.ts';
import { toReadableSnapshot } from '../account/readable-parts.ts';
import { parseExpression, requireSnapshot } from './snapshot-routes.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import * as snapshots from './snapshot-use-cases.ts';
import { findEnvironment } from '../environment/environment-reading-use-cases.ts';

/** Adds the page of a snapshot, and the difference between two snapshots. */
export function addSnapshotPages(host: PageHost): void {
  const { dependencies } = host;

  // The public client links to the shorter address.
  for (const place of ['snapshots/:index', ':index']) {
    const url = `/:org/environments/:env_name/${place}`;
    addPage(host, { url, path: snapshotPath, query: Type.Object({}) }, async ({ path, context, caller }) => {
      const { org, env_name: environment, index } = path;
      const overview = await findEnvironment(dependencies, { org, name: environment });
      const selector: SnapshotSelector = { kind: 'number', number: index };
      const found = await snapshots.findSnapshot(dependencies, { org, environment, selector, now: context.now });
      if (found.outcome === 'too large') throw new ApiError(snapshotTooLarge, { values: path });
      if (found.outcome !== 'found' || overview === undefined) throw new ApiError(snapshotNotFound, { values: path });
      return toSnapshotPage(context, toReadableSnapshot(caller, found), overview.latest);
    });
  }

  addPage(host, { url: '/:org/compare', path: orgPath, query: comparisonQuery }, ({ path: { org }, query, context }) =>
    compare(dependencies, context, { org, first: query.first ?? '', second: query.second ?? '' }),
  );
}

async function compare(
  dependencies: RouteDependencies,
  context: PageContext,
  { org, first, second }: { readonly org: string; readonly first: string; readonly second: string },
): Promise<Page> {
  if (first === '' || second === '') return toFailedComparisonPage(context, { org, first, second, problem: undefined });
  try {
    const one = parseExpression({ org, name: 'first', expression: first });
    const other = parseExpression({ org, name: 'second', expression: second });
    const found = await snapshots.findComparedSnapshots(dependencies, {
      ...{ org, first: one.readings, second: other.readings, now: context.now },
    });
    return toComparisonPage(context, {
      org,
      first: { expression: first, snapshot: requireSnapshot(one, found.first) },
      second: { expression: second, snapshot: requireSnapshot(other, found.second) },
      provenance: found.provenance,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const details = Object.entries(error.body.errors ?? {}).map(
      ([field, rule]) => `${field.replace('query.', '')} ${rule}`,
    );
    const problem = [error.body.message, ...details].join('; ');
    return toFailedComparisonPage(context, { org, first, second, problem });
  }
}

const snapshotPath = Type.Object({
  org: orgName,
  env_name: environmentName,
  index: Type.Integer({ minimum: 1, maximum: 999_999_999 }),
});

const comparisonQuery = Type.Object({
  first: Type.Optional(Type.String({ maxLength: 300 })),
  second: Type.Optional(Type.String({ maxLength: 300 })),
});

const snapshotNotFound: ErrorResponse = {
  status: 404,
  message: "Snapshot {index} of environment '{env_name}' does not exist in organization '{org}'",
  when: 'There is no such environment, or it has no snapshot with that number.',
};

const snapshotTooLarge: ErrorResponse = {
  status: 400,
  message:
    "The members of environment '{env_name}' have too many artifacts for one page; open the snapshots of each member",
  when: 'The members of a logical environment have very many artifacts.',
};

/** Creates the page of a snapshot: its verdict and why, and what ran. `latest` is the number of the latest snapshot. */
export function toSnapshotPage(context: PageContext, details: snapshots.SnapshotDetails, latest: number): Page {
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
  readonly provenance: snapshots.ComparedSnapshots['provenance'];
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

/** Renders a link to the difference from the snapshot before this one; undefined if it is the first. */
export function renderDifferenceLink(
  { paths }: PageContext,
  { org, environment, number }: { readonly org: string; readonly environment: string; readonly number: number },
): Html | undefined {
  if (number === 1) return undefined;
  const expressions = { first: `${environment}#${number - 1}`, second: `${environment}#${number}` };
  return pageLink(withQuery(paths.comparison(org), expressions), `to snapshot ${number - 1}`);
}

/** Renders the form that compares any two snapshots. */
export function renderComparisonForm({ paths }: PageContext, org: string, first: string, second: string): Html {
  return html`<h2>Compare two snapshots</h2>
    <form class="filters" method="get" action="${paths.comparison(org)}">
      <label
        >First <input name="first" required maxlength="300" value="${first}" aria-describedby="expressions"
      /></label>
      <label>Second <input name="second" required maxlength="300" value="${second}" /></label>
      <button>Compare</button>
    </form>
    <p id="expressions">
      <code>prod</code> is the latest snapshot of the environment prod, <code>prod#3</code> number 3,
      <code>prod~1</code> the one before the latest, <code>prod@{2.hours.ago}</code> the one at a time.
    </p>`;
}
