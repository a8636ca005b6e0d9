import { searchArtifacts } from '../../contract/artifact-lists.ts';
import { firstLine } from '../../contract/commit.ts';
import { listEnvironments } from '../../contract/environment-list.ts';
import { listFlows } from '../../contract/flow.ts';
import { listPolicies } from '../../contract/policy-list.ts';
import type { ArtifactDetails } from '../artifact/artifact.ts';
import { judgeArtifact } from '../artifact/artifact-state.ts';
import type { PagePaths } from '../platform/page-paths.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import {
  clip,
  pageLink,
  renderBadge,
  renderDownloads,
  renderEmpty,
  renderHash,
  renderTime,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import { type ExportedList, toTime } from '../platform/pages/list-export.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';
import type { Trail } from '../trail/trail.ts';

/** How many of each kind are found. */
export const maximumFound = 20;

/** Each list has at most `maximumFound` entries. */
export interface SearchView {
  readonly org: string;
  readonly text: string;
  /** The digits of a fingerprint or commit; undefined if the text cannot be one. */
  readonly digits: string | undefined;
  readonly artifacts: readonly ArtifactDetails[];
  readonly trails: readonly Trail[];
  readonly flows: readonly string[];
  readonly environments: readonly string[];
  readonly policies: readonly string[];
}

const searchHelp =
  'Search for at least 5 digits of a fingerprint or commit, the beginning of a trail’s name, or a part of the name ' +
  'of a flow, an environment or a policy; or for words of a commit’s message, an author, a branch, the number of a pull ' +
  'request or run, an image and its tag, or the name of a file.';

export function toSearchPage(context: PageContext, view: SearchView): Page {
  const { org, text, digits, artifacts, trails, flows, environments, policies } = view;
  const { paths } = context;
  const counts = [artifacts, trails, flows, environments, policies].map(({ length }) => length);
  const count = counts.reduce((sum, one) => sum + one, 0);
  return {
    title: text === '' ? 'Search' : `Search for “${clip(text, 80)}”`,
    section: 'search',
    api: [
      ...(digits === undefined ? [] : [apiRequest(searchArtifacts, { org, digits })]),
      apiRequest(listFlows, { org }, { search_by_name: text }),
      apiRequest(listEnvironments, { org }, { name: text }),
      apiRequest(listPolicies, { org }),
    ],
    content: html`${
      count === 0 ? renderEmpty(text === '' ? searchHelp : `Nothing was found. ${searchHelp}`) : undefined
    }
    ${renderArtifacts(context, artifacts)} ${renderTrails(context, org, trails)}
    ${renderNames('Flows', flows, (name) => paths.flow(org, name))}
    ${renderNames('Environments', environments, (name) => paths.environment(org, name))}
    ${renderNames('Policies', policies, (name) => paths.policy(org, name))}
    ${
      Math.max(...counts) < maximumFound
        ? undefined
        : html`<p>At most ${maximumFound} of each kind are found. Enter more to find others.</p>`
    }
    ${count === 0 ? undefined : renderDownloads('These results', 'results', paths.search(org), { q: text })}`,
  };
}

const resultColumns = [
  ...(['kind', 'name', 'flow', 'trail', 'fingerprint', 'commit', 'message', 'author', 'branch'] as const),
  ...(['created_at', 'html_url'] as const),
] as const;
type Result = Readonly<Partial<Record<(typeof resultColumns)[number], string | undefined>>>;

export function listResults(paths: PagePaths, view: SearchView): ExportedList {
  const { org } = view;
  const named = (kind: string, names: readonly string[], toPath: (name: string) => string): Result[] =>
    names.map((name) => ({ kind, name, html_url: toPath(name) }));
  const rows: readonly Result[] = [
    ...view.artifacts.map(({ artifact: { flow, id, createdAt, report } }) => ({
      ...{ kind: 'artifact', name: report.filename, flow, trail: report.trail_name },
      ...{ fingerprint: report.fingerprint, commit: report.git_commit, created_at: toTime(createdAt) },
      html_url: paths.artifact(org, flow, report.fingerprint, id),
    })),
    ...view.trails.map(({ flow, name, createdAt, report: { git_commit_info } }) => ({
      ...{ kind: 'trail', name, flow, trail: name, commit: git_commit_info?.sha1, message: git_commit_info?.message },
      ...{ author: git_commit_info?.author, branch: git_commit_info?.branch, created_at: toTime(createdAt) },
      html_url: paths.trail(org, flow, name),
    })),
    ...named('flow', view.flows, (name) => paths.flow(org, name)),
    ...named('environment', view.environments, (name) => paths.environment(org, name)),
    ...named('policy', view.policies, (name) => paths.policy(org, name)),
  ];
  return { columns: resultColumns, rows };
}

function renderArtifacts(context: PageContext, artifacts: readonly ArtifactDetails[]): Html | undefined {
  if (artifacts.length === 0) return undefined;
  const { paths } = context;
  return html`<h2>Artifacts</h2>
    ${renderTable({
      label: 'Artifacts',
      columns: ['Artifact', 'State', 'Fingerprint', 'Commit', 'Flow', 'Trail', 'Reported'],
      rows: artifacts.map((details): readonly Hole[] => {
        const { org, flow, id, createdAt, report } = details.artifact;
        return [
          pageLink(paths.artifact(org, flow, report.fingerprint, id), clip(report.filename, 120)),
          renderBadge(judgeArtifact(details).state),
          renderHash(report.fingerprint),
          renderHash(report.git_commit),
          pageLink(paths.flow(org, flow), flow),
          pageLink(paths.trail(org, flow, report.trail_name), clip(report.trail_name, 60)),
          renderTime(createdAt, context),
        ];
      }),
      maximumBytes: 20_000,
    })}`;
}

function renderTrails(context: PageContext, org: string, trails: SearchView['trails']): Html | undefined {
  if (trails.length === 0) return undefined;
  const { paths } = context;
  return html`<h2>Trails</h2>
    ${renderTable({
      label: 'Trails',
      columns: ['Trail', 'Flow', 'Commit', 'Author', 'Branch', 'Begun'],
      rows: trails.map(({ flow, name, createdAt, report: { git_commit_info: commit } }): readonly Hole[] => [
        pageLink(paths.trail(org, flow, name), clip(name, 120)),
        pageLink(paths.flow(org, flow), flow),
        clip(firstLine(commit?.message) ?? '', 120),
        clip(commit?.author ?? '', 80),
        clip(commit?.branch ?? '', 80),
        renderTime(createdAt, context),
      ]),
    })}`;
}

function renderNames(title: string, names: readonly string[], path: (name: string) => string): Html | undefined {
  if (names.length === 0) return undefined;
  return html`<h2>${title}</h2>
    <ul class="plain">
      ${names.map((name) => html`<li>${pageLink(path(name), name)}</li>`)}
    </ul>`;
}
