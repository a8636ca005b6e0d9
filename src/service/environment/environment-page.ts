import { listAllowedArtifacts } from '../../contract/allow-list.ts';
import { getEnvironment, listEnvironments } from '../../contract/environment-list.ts';
import { namedEnvironmentNotFound } from '../../contract/errors.ts';
import { environmentName, orgName } from '../../contract/names.ts';
import { Type } from '../../contract/schema.ts';
import { listSnapshots } from '../../contract/snapshot.ts';
import { getSnapshot } from '../../contract/snapshot-details.ts';
import { toReadableEnvironment } from '../account/readable-parts.ts';
import { renderAnnotations } from '../attestation/evidence-html.ts';
import { renderPackageForm } from '../audit-package/audit-package-html.ts';
import { renderEnvironments } from '../organization/organization-page.ts';
import { listJudgedEnvironments } from '../organization/organization-page-routes.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
import {
  clip,
  describeDuration,
  pageLink,
  renderDownloads,
  renderEmpty,
  renderFacts,
  renderHash,
  renderLinks,
  renderPageLinks,
  renderResult,
  renderTime,
  renderVerdict,
  toVerdictState,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import { type ExportedList, readInParts, toList, toTime } from '../platform/pages/list-export.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addPage, orgPath, type PageHost, type PageRequest } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import { defaultTrendChoice, toTrendChoice, trendQuery } from '../platform/pages/trend-html.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { listFingerprints } from '../snapshot/running-artifact.ts';
import { describeVerdict } from '../snapshot/running-html.ts';
import type { Environment, SnapshotSummary } from '../snapshot/snapshot.ts';
import {
  listsOfSnapshot,
  renderComparisonForm,
  renderDayForm,
  renderDifferenceLink,
  renderSnapshot,
  toSnapshotError,
} from '../snapshot/snapshot-page.ts';
import { readShown, type ShownSnapshot } from '../snapshot/snapshot-routes.ts';
import * as snapshots from '../snapshot/snapshot-use-cases.ts';
import type { AllowedArtifact } from './allow-list-records.ts';
import * as allowList from './allow-list-use-cases.ts';
import { findEnvironment, type JudgedEnvironment, loadVerdictHistories } from './environment-reading-use-cases.ts';
import { type HistoryView, renderHistory, renderTimeline } from './timeline-html.ts';

const snapshotsOnTimeline = 40;

const snapshotsOnPage = 20;

export function addEnvironmentPages(host: PageHost): void {
  const { dependencies } = host;

  addPage(
    host,
    {
      ...{ url: '/:org/environments', path: orgPath, query: Type.Object({}) },
      lists: { environments: ({ path: { org } }) => listExportedEnvironments(dependencies, org) },
    },
    async ({ path: { org }, context }) =>
      toEnvironmentListPage(context, org, await listJudgedEnvironments(dependencies, org, defaultTrendChoice)),
  );

  // The public client links to the address with a slash at its end.
  for (const end of ['', '/']) {
    const url = `/:org/environments/:env_name${end}`;
    addPage(
      host,
      {
        ...{ url, path: environmentPath, query: environmentQuery },
        lists: {
          ...listsOfSnapshot(dependencies, (request: EnvironmentRequest) => requireLatest(dependencies, request)),
          snapshots: (request) => listExportedSnapshots(dependencies, request),
        },
      },
      async (request) => toEnvironmentPage(request.context, await loadEnvironment(dependencies, request)),
    );
  }
}

type EnvironmentRequest = PageRequest<typeof environmentPath, typeof environmentQuery>;

/** @throws ApiError if the environment has no latest snapshot that can be shown */
async function requireLatest(
  dependencies: RouteDependencies,
  { path, context: { now } }: EnvironmentRequest,
): Promise<snapshots.SnapshotDetails> {
  const { org, env_name: environment } = path;
  const selector = { kind: 'latest' } as const;
  const found = await snapshots.findSnapshot(dependencies, { org, environment, selector, now });
  if (found.outcome === 'found') return found;
  if (found.outcome === 'environment not found')
    throw new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
  throw toSnapshotError(found.outcome, { ...path, index: 0 });
}

async function listExportedEnvironments(dependencies: RouteDependencies, org: string): Promise<ExportedList> {
  return toList(await listJudgedEnvironments(dependencies, org, defaultTrendChoice), {
    name: ({ environment }) => environment.name,
    type: ({ environment }) => environment.kind,
    state: ({ environment }) => toVerdictState(environment.compliant),
    since: ({ since }) => toTime(since),
    description: ({ environment }) => environment.description,
    policies: ({ environment }) => environment.policies.join(' '),
    last_reported_at: ({ environment }) => toTime(environment.lastReportedAt),
    last_changed_at: ({ environment }) => toTime(environment.lastChangedAt),
    html_url: ({ environment }) => dependencies.links.pages.environment(org, environment.name),
  });
}

/** Lists all snapshots, the oldest first, because new ones may be added meanwhile. */
async function listExportedSnapshots(
  dependencies: RouteDependencies,
  { path: { org, env_name: environment }, context: { now } }: EnvironmentRequest,
): Promise<ExportedList> {
  const notFound = (): ApiError => new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
  if ((await findEnvironment(dependencies, { org, name: environment })) === undefined) throw notFound();
  const all = readInParts<SnapshotSummary>(async (part) => {
    const wanted = { org, environment, part: { ...part, ascending: true }, now };
    const listed = await snapshots.listSnapshots(dependencies, wanted);
    // It was renamed meanwhile, so the rest cannot be sent.
    if (listed === undefined) throw notFound();
    return listed.snapshots;
  });
  return toList(all, {
    number: ({ number }) => number,
    state: ({ compliant }) => toVerdictState(compliant),
    from: ({ from }) => toTime(from),
    to: ({ to }) => toTime(to),
    html_url: ({ number }) => dependencies.links.pages.snapshot(org, environment, number),
  });
}

async function loadEnvironment(
  dependencies: RouteDependencies,
  { path: { org, env_name: name }, query, context: { now }, caller, request: { signal } }: EnvironmentRequest,
): Promise<EnvironmentView> {
  const { page = 1 } = query;
  const choice = toTrendChoice(query);
  const overview = await findEnvironment(dependencies, { org, name });
  const selector = { kind: 'latest' } as const;
  const found = await snapshots.findSnapshot(dependencies, { org, environment: name, selector, now });
  if (overview === undefined || found.outcome === 'environment not found') {
    throw new ApiError(namedEnvironmentNotFound, { values: { org, environment: name } });
  }
  const list = async (offset: number, limit: number): Promise<readonly SnapshotSummary[]> => {
    const part = { offset, limit, ascending: false };
    const listed = await snapshots.listSnapshots(dependencies, { org, environment: name, part, now });
    return listed?.snapshots ?? [];
  };
  const readLatest = async (details: snapshots.SnapshotDetails): Promise<ShownSnapshot> => {
    const shown = await readShown(dependencies, caller, details, { signal });
    const fingerprints = listFingerprints(shown.running.items);
    const starts = await dependencies.storage.read((records) => records.snapshots.listStarts(org, name, fingerprints));
    return { ...shown, starts };
  };
  const [history] = await loadVerdictHistories(dependencies, [overview], choice.days);
  return {
    ...{ overview: toReadableEnvironment(caller, overview), history, choice, page },
    latest: found.outcome === 'found' ? await readLatest(found) : found.outcome === 'too large' ? 'too large' : 'none',
    recent: await list(0, snapshotsOnTimeline),
    snapshots: await list((page - 1) * snapshotsOnPage, snapshotsOnPage),
    allowed: (await allowList.listAllowedArtifacts(dependencies, { org, environment: name })) ?? [],
  };
}

const environmentPath = Type.Object({ org: orgName, env_name: environmentName });
const environmentQuery = Type.Object({
  days: trendQuery.properties.days,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
});

function toEnvironmentListPage(context: PageContext, org: string, environments: readonly JudgedEnvironment[]): Page {
  return {
    title: 'Environments',
    section: 'environments',
    api: [apiRequest(listEnvironments, { org })],
    content: html`${renderEnvironments(context, org, environments, defaultTrendChoice)}
    ${renderDownloads('All environments', 'environments', context.paths.environments(org))}
    ${renderComparisonForm(context, org, '', '')}`,
  };
}

interface EnvironmentView extends HistoryView {
  /** Its latest snapshot, or why there is none to show. */
  readonly latest: ShownSnapshot | 'none' | 'too large';
  /** The latest snapshots, for the timeline. */
  readonly recent: readonly SnapshotSummary[];
  /** A page of its snapshots, the latest first. */
  readonly snapshots: readonly SnapshotSummary[];
  /** The number of that page, from 1. */
  readonly page: number;
  /** What is allowed in it, the latest first. */
  readonly allowed: readonly AllowedArtifact[];
}

function toEnvironmentPage(context: PageContext, view: EnvironmentView): Page {
  const { overview, latest, recent } = view;
  const { org, name, compliant } = overview;
  return {
    title: name,
    kind: 'Environment',
    section: 'environments',
    crumbs: [{ name: 'Environments', path: context.paths.environments(org) }],
    api: [
      apiRequest(getEnvironment, { org, env_name: name }),
      ...(latest === 'none' ? [] : [apiRequest(getSnapshot, { org, env_name: name, snapshot: '-1' })]),
      apiRequest(listAllowedArtifacts, { org, env_name: name }),
      apiRequest(listSnapshots, { org, env_name: name }, { page: view.page, per_page: snapshotsOnPage }),
    ],
    content: html`${
      latest === 'none'
        ? renderEmpty(
            'No report yet. A step with the operation report-k8s, or the public client, reports what runs here; then this page shows it.',
          )
        : renderResult(toVerdictState(compliant), describeState(context, view))
    }
    ${renderEnvironmentFacts(context, overview)} ${renderLatest(context, latest)} ${renderAllowed(context, view)}
    ${latest === 'none' ? undefined : renderTimelineSection(context, overview, recent)}
    ${latest === 'none' ? undefined : renderHistory(context, view)}
    ${latest === 'none' ? undefined : renderSnapshots(context, view)}
    ${latest === 'none' ? undefined : renderComparisonForm(context, org, `${name}~1`, name)}
    ${renderPackageForm(context.paths.environment(org, name))}`,
  };
}

function describeState(context: PageContext, { latest, history }: EnvironmentView): Hole {
  const since = history?.since;
  const words = typeof latest === 'string' ? '' : describeVerdict(latest);
  return html`${words} ${since === undefined ? undefined : html`This began ${renderTime(since, context)}.`}`;
}

function renderEnvironmentFacts(context: PageContext, overview: Environment): Html {
  const { org, kind, description, members, policies, requiresProvenance } = overview;
  const { latest, lastReportedAt, lastChangedAt } = overview;
  const { paths } = context;
  return renderFacts([
    ['Kind', kind],
    ['Description', description],
    ['Archived', overview.isArchived ? 'lists leave it out, and it is no longer judged' : undefined],
    ['Tags', renderAnnotations(overview.tags)],
    ['Members', renderLinks(members, (member) => paths.environment(org, member))],
    [
      'Policies',
      renderLinks(policies, (policy) => paths.policy(org, policy)) ??
        (requiresProvenance ? undefined : 'none: attach one to judge what runs here'),
    ],
    ['Required', requiresProvenance ? 'provenance (deprecated; attach a policy instead)' : undefined],
    [
      'Latest snapshot',
      latest === 0 ? undefined : pageLink(paths.snapshot(org, overview.name, latest), String(latest)),
    ],
    ['Last report', lastReportedAt === undefined ? undefined : renderTime(lastReportedAt, context)],
    ['Last change', lastChangedAt === undefined ? undefined : renderTime(lastChangedAt, context)],
  ]);
}

function renderTimelineSection(
  context: PageContext,
  { org, name: environment }: Environment,
  snapshots: readonly SnapshotSummary[],
): Html {
  const words = snapshots.length === 1 ? '' : ` of the latest ${snapshots.length} snapshots`;
  return html`<h2>Timeline${words}</h2>
    ${renderTimeline(context, { org, environment, snapshots })}`;
}

function renderLatest(context: PageContext, latest: EnvironmentView['latest']): Html | undefined {
  if (latest === 'none') return undefined;
  if (latest === 'too large') {
    return renderEmpty(
      'The members of this environment have too many artifacts for one page; open the pages of the members.',
    );
  }
  const path = context.paths.environment(latest.snapshot.org, latest.snapshot.environment);
  return html`${renderSnapshot(context, latest, path, 'Running now')}`;
}

function renderAllowed(context: PageContext, { allowed }: EnvironmentView): Html | undefined {
  if (allowed.length === 0) return undefined;
  return html`<h2>Allowed, whatever the policies say</h2>
    ${renderTable({
      label: 'Allowed artifacts',
      columns: ['Artifact', 'Fingerprint', 'Why', 'Allowed by', 'When'],
      rows: allowed.map(({ name, fingerprint, reason, by, at }): readonly Hole[] => [
        clip(name, 120),
        renderHash(fingerprint),
        clip(reason, 300),
        by,
        renderTime(at, context),
      ]),
      maximumBytes: 10_000,
    })}`;
}

function renderSnapshots(context: PageContext, { overview, snapshots, page }: EnvironmentView): Html {
  const { org, name, latest } = overview;
  const { paths } = context;
  return html`<h2>Snapshots</h2>
    ${renderDayForm(context, org, name)}
    ${renderTable({
      label: 'Snapshots',
      columns: ['Snapshot', 'Verdict', 'From', 'Lasted', 'Difference'],
      rows: snapshots.map(({ number, from, to, compliant }): readonly Hole[] => [
        pageLink(paths.snapshot(org, name, number), String(number)),
        renderVerdict(compliant),
        renderTime(from, context),
        to === undefined ? 'current' : describeDuration(Math.max(0, to - from)),
        renderDifferenceLink(context, { org, environment: name, number }),
      ]),
      empty: 'There are no snapshots on this page.',
      maximumBytes: 12_000,
    })}
    ${renderPageLinks({ page, perPage: snapshotsOnPage, total: latest }, (number) => withQuery(paths.environment(org, name), { page: number }))}
    ${renderDownloads('All snapshots', 'snapshots', paths.environment(org, name))}`;
}
