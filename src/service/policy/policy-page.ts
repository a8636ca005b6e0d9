import { orgName, policyName } from '../../contract/names.ts';
import { getPolicy, policyMissing } from '../../contract/policy.ts';
import { listPolicies } from '../../contract/policy-list.ts';
import { type Static, Type } from '../../contract/schema.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
import {
  clip,
  pageLink,
  renderDownloads,
  renderEmpty,
  renderFacts,
  renderLinks,
  renderTime,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import { type ExportedList, toList, toTime } from '../platform/pages/list-export.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { PolicyRecord, PolicyVersion } from './policy.ts';
import * as policies from './policy-use-cases.ts';
import { type ComparedLine, compareLines } from './text-difference.ts';

const version = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }));

export function addPolicyPages(host: PageHost): void {
  const { dependencies } = host;

  const list = { url: '/:org/policies', path: orgPath, query: Type.Object({}) };
  const lists = {
    policies: async ({ path: { org } }: { readonly path: Static<typeof orgPath> }) =>
      listExportedVersions(dependencies, await policies.listPolicies(dependencies, { org })),
  };
  addPage(host, { ...list, lists }, async ({ path: { org }, context }) =>
    toPolicyListPage(context, org, await policies.listPolicies(dependencies, { org })),
  );

  const path = Type.Object({ org: orgName, policy_name: policyName });
  const query = Type.Object({ version, from: version, to: version });
  const requirePolicy = async ({ org, policy_name: name }: Static<typeof path>): Promise<PolicyRecord> => {
    const policy = await policies.findPolicy(dependencies, { org, name });
    if (policy === undefined) throw new ApiError(policyMissing, { values: { org, policy: name } });
    return policy;
  };
  const page = {
    ...{ url: '/:org/policies/:policy_name', path, query },
    lists: {
      versions: async (request: { readonly path: Static<typeof path> }) =>
        listExportedVersions(dependencies, [await requirePolicy(request.path)]),
    },
  };
  addPage(host, page, async (request) => {
    const { from, to } = request.query;
    const policy = await requirePolicy(request.path);
    const compared = from === undefined || to === undefined ? undefined : { from, to };
    return toPolicyPage(request.context, { policy, version: request.query.version, compared });
  });
}

/** Lists the versions of policies, the latest of each first. */
function listExportedVersions(dependencies: RouteDependencies, policies: readonly PolicyRecord[]): ExportedList {
  const { pages } = dependencies.links;
  return toList(readVersions(dependencies, policies), {
    policy: ({ policy }) => policy.name,
    description: ({ policy }) => policy.description,
    attached_to: ({ policy }) => policy.environments.join(' '),
    version: ({ version }) => version.version,
    comment: ({ version }) => version.comment,
    created_by: ({ version }) => version.createdBy,
    created_at: ({ version }) => toTime(version.createdAt),
    text: ({ version }) => version.text,
    html_url: ({ policy }) => pages.policy(policy.org, policy.name),
  });
}

/** Reads the texts that the policies lack, one at a time. */
async function* readVersions(
  { storage }: RouteDependencies,
  policies: readonly PolicyRecord[],
): AsyncGenerator<{ readonly policy: PolicyRecord; readonly version: PolicyVersion }> {
  for (const policy of policies) {
    for (const version of policy.versions.toReversed()) {
      const text =
        version.text ??
        (await storage.read((records) => records.policies.findText(policy.org, policy.name, version.version)));
      yield { policy, version: { ...version, text } };
    }
  }
}

export function toPolicyListPage(context: PageContext, org: string, policies: readonly PolicyRecord[]): Page {
  const { paths } = context;
  return {
    title: 'Policies',
    section: 'policies',
    api: [apiRequest(listPolicies, { org })],
    content: html`${renderTable({
      label: 'Policies',
      columns: ['Policy', 'Version', 'Description', 'Attached to', 'Last change'],
      rows: policies.map(({ name, versions, description, environments, lastModifiedAt }): readonly Hole[] => [
        pageLink(paths.policy(org, name), name),
        String(versions.at(-1)?.version ?? ''),
        clip(description, 160),
        renderEnvironmentLinks(context, { org, environments }) ?? 'no environment',
        renderTime(lastModifiedAt, context),
      ]),
      empty: html`There is no policy yet. A step with <code>operation: create-policy</code> creates one;
        <code>attach-policy</code> attaches it to an environment.`,
      maximumBytes: 60_000,
    })}
    ${renderDownloads('All policies with their versions', 'policies', paths.policies(org))}`,
  };
}

function renderEnvironmentLinks(
  { paths }: PageContext,
  { org, environments }: Pick<PolicyRecord, 'org' | 'environments'>,
): Html | undefined {
  return renderLinks(environments, (name) => paths.environment(org, name), 20);
}

/** What the page of a policy shows besides its history. */
export interface PolicyView {
  readonly policy: PolicyRecord;
  /** The version whose text is shown; undefined for the latest. */
  readonly version: number | undefined;
  /** The versions whose difference is shown in place of a text. */
  readonly compared: { readonly from: number; readonly to: number } | undefined;
}

/** Creates the page of a policy: its versions, their texts and differences, and where it is attached. */
export function toPolicyPage(context: PageContext, view: PolicyView): Page {
  const { policy } = view;
  const { org, name, versions } = policy;
  const { paths } = context;
  return {
    title: name,
    kind: 'Policy',
    section: 'policies',
    crumbs: [{ name: 'Policies', path: paths.policies(org) }],
    api: [apiRequest(getPolicy, { org, policy_name: name })],
    content: html`${renderFacts([
        ['Description', policy.description],
        ['Latest version', String(versions.at(-1)?.version ?? '')],
        ['Archived', policy.isArchived ? 'lists leave it out, and a new version brings it back' : undefined],
        [
          'Attached to',
          renderEnvironmentLinks(context, policy) ??
            (policy.isArchived ? 'no environment' : 'no environment: attach it to one, or it judges nothing'),
        ],
        ['Created', html`${renderTime(policy.createdAt, context)} by ${policy.createdBy}`],
        ['Last change', renderTime(policy.lastModifiedAt, context)],
      ])}
      ${view.compared === undefined ? renderVersion(policy, view.version) : renderDifference(policy, view.compared)}
      <h2>Versions</h2>
      ${renderVersions(context, policy)} ${renderDownloads('All versions', 'versions', paths.policy(org, name))}
      ${renderVersionForm(context, policy)}
      <h2>Events</h2>
      ${renderEvents(context, policy)}`,
  };
}

/** How much of a policy's text is shown, in characters. */
const maximumText = 15_000;

function renderVersion({ versions }: PolicyRecord, wanted: number | undefined): Html {
  const shown = wanted === undefined ? versions.at(-1) : versions.find(({ version }) => version === wanted);
  if (shown === undefined) return renderEmpty(`There is no version ${wanted ?? ''}. Choose one of the list below.`);
  return html`<h2>Version ${shown.version}</h2>
    ${
      shown.text === undefined
        ? renderEmpty('The text of this version is not shown, because the texts of all versions are very long.')
        : html`<pre
            tabindex="0"
            aria-label="Text of version ${shown.version}"
            role="region"
          ><code>${clip(shown.text, maximumText)}</code></pre>`
    }`;
}

/** The maximum size of a difference, in bytes. */
const maximumDifference = 30_000;

function renderDifference(
  { versions }: PolicyRecord,
  { from, to }: { readonly from: number; readonly to: number },
): Html {
  const text = (wanted: number): string | undefined => versions.find(({ version }) => version === wanted)?.text;
  const [first, second] = [text(from), text(to)];
  if (first === undefined || second === undefined) {
    return renderEmpty(
      'At least one of these versions does not exist, or its text is not shown. Choose two of the list below.',
    );
  }
  const lines = compareLines(first, second);
  const isSame = lines.every(({ change }) => change === 'same');
  const shown = renderLines(lines);
  return html`<h2>From version ${from} to version ${to}</h2>
    ${isSame ? renderEmpty('The texts are the same.') : undefined}
    <pre class="diff" tabindex="0" role="region" aria-label="Difference between the versions">${shown}</pre>
    ${lines.length > shown.length ? html`<p>${lines.length - shown.length} more lines are not shown.</p>` : undefined}`;
}

function renderLines(lines: readonly ComparedLine[]): readonly Html[] {
  const rendered: Html[] = [];
  let bytes = 0;
  for (const line of lines) {
    const one = renderLine(line);
    bytes += Buffer.byteLength(one.text);
    if (bytes > maximumDifference) break;
    rendered.push(one);
  }
  return rendered;
}

/** The sign tells what changed without the color, too. */
function renderLine({ change, text }: ComparedLine): Html {
  if (change === 'added') return html`<ins>+ ${clip(text)}</ins>`;
  return change === 'removed' ? html`<del>- ${clip(text)}</del>` : html`<span> ${clip(text)}</span>`;
}

function renderVersions(context: PageContext, { org, name, versions }: PolicyRecord): Html {
  const path = context.paths.policy(org, name);
  const toRow = ({ version, comment, createdBy, createdAt }: PolicyVersion): readonly Hole[] => [
    pageLink(withQuery(path, { version }), `Version ${version}`),
    clip(comment, 200),
    createdBy,
    renderTime(createdAt, context),
    version === 1 ? '' : pageLink(withQuery(path, { from: version - 1, to: version }), `to version ${version - 1}`),
  ];
  return renderTable({
    label: 'Versions',
    columns: ['Version', 'Comment', 'By', 'Created', 'Difference'],
    rows: versions.toReversed().map(toRow),
    maximumBytes: 15_000,
  });
}

function renderVersionForm({ paths }: PageContext, { org, name, versions }: PolicyRecord): Html | undefined {
  const latest = versions.at(-1)?.version ?? 1;
  if (latest === 1) return undefined;
  return html`<form class="filters" method="get" action="${paths.policy(org, name)}">
    <label>From version <input name="from" type="number" min="1" max="${latest}" value="1" /></label>
    <label>to version <input name="to" type="number" min="1" max="${latest}" value="${latest}" /></label>
    <button>Compare</button>
  </form>`;
}

const eventNames = {
  policy_created: 'Created',
  policy_updated: 'New version',
  policy_attached: 'Attached',
  policy_detached: 'Detached',
} as const;

function renderEvents(context: PageContext, { org, events }: PolicyRecord): Html {
  return renderTable({
    label: 'Events',
    columns: ['When', 'What', 'Environment', 'Version', 'By'],
    rows: events
      .toReversed()
      .map(({ type, timestamp, user, version, environment }): readonly Hole[] => [
        renderTime(timestamp, context),
        eventNames[type],
        environment === undefined ? '' : pageLink(context.paths.environment(org, environment), environment),
        String(version),
        user,
      ]),
    maximumBytes: 12_000,
  });
}
