import type { ErrorResponse } from '../../contract/errors.ts';
import { environmentName, orgName } from '../../contract/names.ts';
import { type Static, type TObject, Type } from '../../contract/schema.ts';
import { diffEnvironments } from '../../contract/snapshot.ts';
import { getSnapshot } from '../../contract/snapshot-details.ts';
import type { SnapshotSelector } from '../../contract/snapshot-expression.ts';
import { toDay } from '../../runtime/clock.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
import {
  clip,
  pageLink,
  renderBadge,
  renderDownloads,
  renderFacts,
  renderFailure,
  renderHash,
  renderPager,
  renderResult,
  renderTime,
  renderVerdict,
  toVerdictState,
} from '../platform/pages/components.ts';
import { readDays } from '../platform/pages/days.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import { toList } from '../platform/pages/list-export.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addPage, orgPath, type PageHost, type PageLists, type PageRequest } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { describePolicy } from '../policy/provenance-requirement.ts';
import { selectLatter, showDifference, type Shown, type ShownDifference } from './content-views.ts';
import { listFingerprints } from './running-artifact.ts';
import { describeVerdict, renderArtifactLink, renderReasons, renderRunning } from './running-html.ts';
import { loadCompared, parseExpression, readShown, requireSnapshot, type ShownSnapshot } from './snapshot-routes.ts';
import * as snapshots from './snapshot-use-cases.ts';

export function addSnapshotPages(host: PageHost): void {
  const { dependencies } = host;

  // The public client links to the shorter address.
  for (const place of ['snapshots/:index', ':index']) {
    const url = `/:org/environments/:env_name/${place}`;
    const find = async ({ path, context: { now } }: SnapshotRequest): Promise<snapshots.SnapshotDetails> => {
      const { org, env_name: environment, index } = path;
      const selector: SnapshotSelector = { kind: 'number', number: index };
      const found = await snapshots.findSnapshot(dependencies, { org, environment, selector, now });
      if (found.outcome !== 'found') throw toSnapshotError(found.outcome, path);
      return found;
    };
    const lists = listsOfSnapshot(dependencies, find);
    addPage(host, { url, path: snapshotPath, query: Type.Object({}), lists }, async (received) => {
      const { context, caller, request } = received;
      const shown = await readShown(dependencies, caller, await find(received), { signal: request.signal });
      return toSnapshotPage(context, shown);
    });
  }

  const dayPage = { url: '/:org/environments/:env_name/on-day', path: environmentPath, query: dayQuery };
  addPage(host, dayPage, async ({ path, query: { day }, context, caller, request: { signal } }) => {
    const { org, env_name: environment } = path;
    const selector: SnapshotSelector = { kind: 'time', time: readDays({ to: day }).to ?? context.now };
    const found = await snapshots.findSnapshot(dependencies, { org, environment, selector, now: context.now });
    if (found.outcome === 'too large') throw toSnapshotError(found.outcome, { ...path, index: 0 });
    if (found.outcome !== 'found') throw new ApiError(nothingOnDay, { values: { ...path, day } });
    return toSnapshotPage(context, await readShown(dependencies, caller, found, { signal }));
  });

  addPage(host, { url: '/:org/compare', path: orgPath, query: comparisonQuery }, (received) =>
    compare(dependencies, received),
  );
}

type SnapshotRequest = PageRequest<typeof snapshotPath, TObject>;

export function toSnapshotError(
  outcome: snapshots.SnapshotObstacle['outcome'],
  values: Static<typeof snapshotPath>,
): ApiError {
  return new ApiError(outcome === 'too large' ? snapshotTooLarge : snapshotNotFound, { values });
}

/** The lists of the page of a snapshot: what runs, and why it is not compliant. */
export function listsOfSnapshot<Path extends TObject, Query extends TObject>(
  dependencies: RouteDependencies,
  find: (request: PageRequest<Path, Query>) => Promise<snapshots.SnapshotDetails>,
): PageLists<Path, Query> {
  const { pages } = dependencies.links;
  const read = async (request: PageRequest<Path, Query>): Promise<ShownSnapshot> => {
    const { signal } = request.request;
    return readShown(dependencies, request.caller, await find(request), { signal, maximum: Infinity });
  };
  return {
    running: async (request) => {
      const { snapshot, running, builds } = await read(request);
      return toList(running.items, {
        name: ({ name }) => name,
        fingerprint: ({ fingerprint }) => fingerprint,
        state: ({ isCompliant }) => toVerdictState(isCompliant),
        allowed: ({ isAllowed }) => isAllowed,
        instances: ({ instances }) => instances,
        flow: ({ fingerprint }) => builds.get(fingerprint)?.flow,
        commit: ({ fingerprint }) => builds.get(fingerprint)?.commit,
        html_url: ({ fingerprint }) => {
          const flow = builds.get(fingerprint)?.flow;
          return flow === undefined ? undefined : pages.artifact(snapshot.org, flow, fingerprint);
        },
      });
    },
    reasons: async (request) => {
      const { snapshot, reasons } = await read(request);
      return toList(reasons, {
        about: ({ about }) => about,
        state: ({ state }) => state,
        value: ({ value }) => value,
        limit: ({ limit }) => limit,
        rule: ({ rule }) => rule,
        description: ({ description }) => description,
        html_url: ({ about, source }) => pages.reason(snapshot.org, about, source),
      });
    },
  };
}

/** Renders why a snapshot is not compliant and what runs, with the links that download both. */
export function renderSnapshot(context: PageContext, shown: ShownSnapshot, path: string, title: string): Html {
  return html`${renderReasons(context, shown)}
    ${shown.reasons.length === 0 ? undefined : renderDownloads('All reasons', 'reasons', path)}
    <h2>${title}</h2>
    ${renderRunning(context, shown)} ${renderDownloads('All that runs', 'running', path)}`;
}

async function compare(
  dependencies: RouteDependencies,
  { path: { org }, query, context, caller, request: { signal } }: PageRequest<typeof orgPath, typeof comparisonQuery>,
): Promise<Page> {
  const { first = '', second = '' } = query;
  if (first === '' || second === '') return toFailedComparisonPage(context, org, { first, second });
  try {
    const one = parseExpression({ org, name: 'first', expression: first });
    const other = parseExpression({ org, name: 'second', expression: second });
    const found = await snapshots.findComparedSnapshots(dependencies, {
      ...{ org, first: one.readings, second: other.readings, now: context.now },
    });
    const both = [requireSnapshot(one, found.first), requireSnapshot(other, found.second)] as const;
    const read = { org, bytes: both[0].content.bytes + both[1].content.bytes, signal };
    return await dependencies.largeReads.run(read, async (compute) => {
      const difference = await compute(showDifference, await loadCompared(dependencies, caller, both));
      const { onlyInFirst, onlyInSecond, changed, notChanged } = difference;
      const load = (
        { snapshot }: snapshots.FoundSnapshot,
        ...parts: readonly Shown<ShownDifference>[]
      ): ReturnType<typeof snapshots.loadBuilds> => {
        const shown = parts.flatMap(({ items }) => items.map(({ artifact }) => artifact));
        return snapshots.loadBuilds(dependencies, snapshot, listFingerprints(shown), signal);
      };
      const builds = [
        await load(both[0], onlyInFirst),
        await load(both[1], onlyInSecond, changed, notChanged),
      ] as const;
      return toComparisonPage(context, {
        org,
        first: { ...both[0], expression: first },
        second: { ...both[1], expression: second },
        ...{ difference, builds },
      });
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const details = Object.entries(error.body.errors ?? {}).map(
      ([field, rule]) => `${field.replace('query.', '')} ${rule}`,
    );
    return toFailedComparisonPage(context, org, { first, second }, [error.body.message, ...details].join('; '));
  }
}

const snapshotPath = Type.Object({
  org: orgName,
  env_name: environmentName,
  index: Type.Integer({ minimum: 1, maximum: 999_999_999 }),
});

const environmentPath = Type.Object({ org: orgName, env_name: environmentName });
const dayQuery = Type.Object({ day: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }) });

const comparisonQuery = Type.Object({
  first: Type.Optional(Type.String({ maxLength: 300 })),
  second: Type.Optional(Type.String({ maxLength: 300 })),
});

const snapshotNotFound: ErrorResponse = {
  status: 404,
  message: "Snapshot {index} of environment '{env_name}' does not exist in organization '{org}'",
  when: 'There is no such environment, or it has no snapshot with that number.',
};

const nothingOnDay: ErrorResponse = {
  status: 404,
  message: "Environment '{env_name}' of organization '{org}' had no snapshot on {day}",
  when: 'There is no such environment, or its first snapshot is later.',
};

const snapshotTooLarge: ErrorResponse = {
  status: 400,
  message:
    "The members of environment '{env_name}' have too many artifacts for one page; open the snapshots of each member",
  when: 'The members of a logical environment have very many artifacts.',
};

/** Creates the page of a snapshot: its verdict and why, and what ran. */
function toSnapshotPage(context: PageContext, details: ShownSnapshot): Page {
  const { latest } = details;
  const { org, environment, number, from, judgement } = details.snapshot;
  const { allowed } = details.running;
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
      ['Allowed by an exception', allowed === 0 ? undefined : `${allowed} ${allowed === 1 ? 'artifact' : 'artifacts'}`],
      ['Difference', renderDifferenceLink(context, { org, environment, number })],
    ])}
    ${renderSnapshot(context, details, paths.snapshot(org, environment, number), 'Running')}
    ${renderPager(
      number > 1 ? paths.snapshot(org, environment, number - 1) : undefined,
      number < latest ? paths.snapshot(org, environment, number + 1) : undefined,
      `Snapshot ${number} of ${latest}`,
    )}`,
  };
}

/** Two snapshots that were found, and the expressions that selected them. */
interface ComparisonView {
  readonly org: string;
  readonly first: snapshots.FoundSnapshot & { readonly expression: string };
  readonly second: snapshots.FoundSnapshot & { readonly expression: string };
  readonly difference: ReturnType<typeof showDifference>;
  readonly builds: readonly [first: ShownSnapshot['builds'], second: ShownSnapshot['builds']];
}

/** Creates the page with the difference between two snapshots. */
function toComparisonPage(context: PageContext, view: ComparisonView): Page {
  const { org, first, second, difference } = view;
  const part = (title: string, shown: Shown<ShownDifference>): Html =>
    html`<h2>${title}</h2>
      ${renderCompared(context, view, title, shown)}`;
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
    })}
    ${part('Only in the second', difference.onlyInSecond)} ${part('Only in the first', difference.onlyInFirst)}
    ${part('In both, with another number of instances', difference.changed)} ${part('In both', difference.notChanged)}
    ${renderComparisonForm(context, org, first.expression, second.expression)}`,
  };
}

/** Creates the page that says why two snapshots cannot be compared, with the form. */
function toFailedComparisonPage(
  context: PageContext,
  org: string,
  { first, second }: Readonly<Record<'first' | 'second', string>>,
  problem?: string,
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
  { org, builds }: ComparisonView,
  label: string,
  { items, total }: Shown<ShownDifference>,
): Html {
  return renderTable({
    label,
    columns: ['Artifact', 'Fingerprint', 'Instances, first', 'Instances, second'],
    rows: items.map((compared): readonly Hole[] => {
      const { artifact, instances, isAllowed } = compared;
      const link = renderArtifactLink(context, { org, builds: selectLatter(builds, compared) }, artifact);
      return [
        html`${link} ${isAllowed ? renderBadge('COMPLIANT', 'Allowed') : undefined}`,
        renderHash(artifact.fingerprint),
        String(instances[0]),
        String(instances[1]),
      ];
    }),
    empty: 'Nothing.',
    more: total - items.length,
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

/** Renders the form that finds what ran at the end of a day. */
export function renderDayForm({ paths, now }: PageContext, org: string, environment: string): Html {
  return html`<form class="filters" method="get" action="${paths.onDay(org, environment)}">
    <label>What ran at the end of a day (UTC) <input name="day" type="date" required value="${toDay(now)}" /></label>
    <button>Show</button>
  </form>`;
}

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
