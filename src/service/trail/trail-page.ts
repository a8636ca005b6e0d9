import type { PullRequestAttestation } from '../../contract/attestations/pull-request.ts';
import { flowName, orgName, trailName } from '../../contract/names.ts';
import { describeFault, evidenceAnchor } from '../../contract/reason.ts';
import { type Static, Type } from '../../contract/schema.ts';
import { getTrail, trailNotFound } from '../../contract/trail-reading.ts';
import { toReadableHistory } from '../account/readable-parts.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import {
  describeEvidence,
  describeStatus,
  type EvidenceStatus,
  withoutMismatched,
} from '../artifact/artifact-state.ts';
import { type CountedAttestation, isOfKind } from '../attestation/attestation.ts';
import {
  compareStatuses,
  renderAddress,
  renderEvidence,
  renderExternalLinks,
  renderJudgement,
  renderRepository,
  renderUserData,
} from '../attestation/evidence-html.ts';
import { listApprovers } from '../attestation/facts.ts';
import { renderPackageLink } from '../audit-package/audit-package-html.ts';
import { renderProven } from '../login/proven-html.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import {
  clip,
  pageLink,
  renderBadge,
  renderCommit,
  renderDownloads,
  renderFacts,
  renderHash,
  renderLinks,
  renderTime,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html, link } from '../platform/pages/html.ts';
import { type ExportedList, toList, toTime } from '../platform/pages/list-export.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addPage, type PageHost } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { AttestationWithSubject, TrailDetails, TrailHistory } from './trail.ts';
import { explainMissing, type TrailArtifactStatus } from './trail-state.ts';
import { findTrailHistory, maximumTrailEntries } from './trail-use-cases.ts';

const trailPath = Type.Object({ org: orgName, flow_name: flowName, trail_name: trailName });

export function addTrailPage(host: PageHost): void {
  const { dependencies } = host;

  const requireTrail = async (path: Static<typeof trailPath>): Promise<FoundTrail> => {
    const { org, flow_name: flow, trail_name: name } = path;
    const found = await findTrailHistory(dependencies, { org, flow, name });
    if (found === undefined) throw new ApiError(trailNotFound, { values: path });
    return found;
  };

  // The public client adds the attestation that it has recorded.
  const trailQuery = Type.Object({ attestation_id: Type.Optional(Type.String({ maxLength: 255 })) });
  addPage(
    host,
    {
      ...{ url: '/:org/flows/:flow_name/trails/:trail_name', path: trailPath, query: trailQuery },
      lists: {
        evidence: async ({ path }) => listExportedEvidence(dependencies, (await requireTrail(path)).details),
        artifacts: async ({ path }) => listExportedArtifacts(dependencies, (await requireTrail(path)).details),
      },
    },
    async ({ path, query, context, caller }) => {
      const { org, flow_name: flow, trail_name: name } = path;
      const found = await requireTrail(path);
      const attestation = await dependencies.storage.read(async ({ attestations }) => {
        const recorded = await attestations.listByTrail({ org, flow }, name, maximumTrailEntries);
        const latest = recorded.find(({ type }) => type === 'pull_request');
        return latest === undefined ? undefined : attestations.findById(org, latest.id);
      });
      const isPullRequest = attestation !== undefined && isOfKind(attestation, 'pull_request');
      const pullRequests = isPullRequest ? attestation.document.pull_requests : [];
      const history = toReadableHistory(caller, found.history);
      return toTrailPage(context, { details: found.details, history, pullRequests, marked: query.attestation_id });
    },
  );
}

type FoundTrail = NonNullable<Awaited<ReturnType<typeof findTrailHistory>>>;

function listExportedEvidence({ links }: RouteDependencies, { judgement }: TrailDetails): ExportedList {
  return toList(listEvidence(judgement), {
    name: ({ status }) => status.name,
    about: ({ about }) => about,
    state: ({ status }) => status.evidence?.verdict ?? 'missing',
    why: ({ status }) => describeStatus(status),
    required: ({ status }) => status.isRequired,
    reported_at: ({ status: { evidence } }) => toTime(evidence?.createdAt),
    html_url: ({ status: { evidence, mismatched = evidence } }) =>
      mismatched === undefined
        ? undefined
        : links.pages.attestation(mismatched.org, mismatched.flow, mismatched.trail, mismatched.id),
  });
}

function listExportedArtifacts({ links }: RouteDependencies, { judgement }: TrailDetails): ExportedList {
  return toList(judgement.artifacts, {
    name: ({ artifact }) => artifact.name,
    state: ({ state }) => state,
    required: ({ isRequired }) => isRequired,
    fingerprint: ({ artifact: { reported } }) => reported?.report.fingerprint,
    reported_at: ({ artifact: { reported } }) => toTime(reported?.createdAt),
    html_url: ({ artifact: { reported } }) =>
      reported === undefined
        ? undefined
        : links.pages.artifact(reported.org, reported.flow, reported.report.fingerprint, reported.id),
  });
}

export interface TrailView {
  readonly details: TrailDetails;
  readonly history: TrailHistory;
  /** Its latest attestation of pull requests. */
  readonly pullRequests: PullRequestAttestation['pull_requests'];
  /** The id of the attestation to highlight; undefined for none. */
  readonly marked: string | undefined;
}

/** Creates the page of a trail: its state and why, what is missing, its artifacts, and what was reported to it. */
export function toTrailPage(context: PageContext, view: TrailView): Page {
  const { trail, judgement } = view.details;
  const { org, flow, name } = trail;
  const { paths } = context;
  const path = paths.trail(org, flow, name);
  return {
    title: name,
    kind: 'Trail',
    section: 'flows',
    crumbs: [
      { name: 'Flows', path: paths.flows(org) },
      { name: flow, path: paths.flow(org, flow) },
    ],
    api: [apiRequest(getTrail, { org, flow_name: flow, trail_name: name })],
    content: html`${renderJudgement(context, org, judgement)} ${renderTrailFacts(context, view)}
      ${renderProven(trail.report.proven)}
      <h2>What is required</h2>
      ${renderRequired(context, view.details)} ${renderDownloads('All evidence', 'evidence', path)}
      <h2>Artifacts</h2>
      ${renderArtifacts(context, view)} ${renderDownloads('All artifacts', 'artifacts', path)}
      <h2>Events, the latest first</h2>
      ${renderEvents(context, view)} ${renderUserData(trail.report.user_data)}`,
  };
}

function renderTrailFacts(context: PageContext, { details, pullRequests }: TrailView): Html {
  const { trail, applied, since } = details;
  const { createdAt, lastModifiedAt, report } = trail;
  const commit = report.git_commit_info;
  return renderFacts([
    ['Description', report.description],
    ['Commit', commit === undefined ? undefined : renderCommit(commit)],
    ['Commit message', commit?.message],
    ['Author', commit?.author],
    ['Branch', commit?.branch],
    ...pullRequests.slice(0, 3).map((pullRequest) => {
      const { url, title, state } = pullRequest;
      const approvers = listApprovers(pullRequest);
      const approved = approvers.length === 0 ? 'approved by nobody' : `approved by ${approvers.join(', ')}`;
      const words = html`${link(url, clip(title ?? url, 120))} (${state}, ${clip(approved, 200)})`;
      return ['Pull request', words] as const;
    }),
    ['Repository', renderRepository(report.repo_info)],
    ['Origin', renderAddress(report.origin_url)],
    ['Links', renderExternalLinks(report.external_urls)],
    ['Template', `of the ${applied.owner}`],
    ['Begun', renderTime(createdAt, context)],
    ['In this state since', since === undefined ? undefined : renderTime(since, context)],
    ['Last update', lastModifiedAt === createdAt ? undefined : renderTime(lastModifiedAt, context)],
    ['Audit package', renderPackageLink(context.paths.trail(trail.org, trail.flow, trail.name))],
  ]);
}

/** The evidence of the trail and of its artifacts, what is missing or wrong first. */
function listEvidence(
  judgement: TrailDetails['judgement'],
): readonly { readonly about: string; readonly status: EvidenceStatus<CountedAttestation> }[] {
  const own = judgement.evidence.map((status) => ({ about: 'the trail', status }));
  const others = judgement.artifacts.flatMap(({ artifact, evidence }) =>
    evidence.map((status) => ({ about: artifact.name, status })),
  );
  const kept = new Set(withoutMismatched([...own, ...others].map(({ status }) => status)));
  return [...own, ...others]
    .filter(({ status }) => kept.has(status))
    .toSorted((one, other) => compareStatuses(one.status, other.status));
}

function renderRequired(context: PageContext, { applied, judgement }: TrailDetails): Html {
  const missing = judgement.artifacts.filter(({ state }) => state === 'MISSING');
  const anchored = new Set<string>();
  // Rows may have the same label, but not the same id. The worst is the first.
  const toAnchor = (label: string, name: Hole): Hole => {
    const id = evidenceAnchor(label);
    if (anchored.has(id)) return name;
    anchored.add(id);
    return html`<span id="${id}">${name}</span>`;
  };
  return renderTable({
    label: 'Evidence that is required or was reported',
    columns: ['Evidence', 'About', 'State', 'Why', 'Required', 'Reported'],
    rows: [
      ...missing.map(({ artifact }): readonly Hole[] => [
        toAnchor(artifact.name, artifact.name),
        'the trail',
        renderBadge('MISSING', artifact.mismatched && 'Does not count'),
        clip(describeFault(explainMissing(applied.template, artifact)), 300),
        'yes',
        '',
      ]),
      ...listEvidence(judgement).map(({ about, status }): readonly Hole[] => {
        const { name, state, why, required, reported } = renderEvidence(context, status.name, status);
        return [toAnchor(status.label, name), clip(about, 60), state, why, required, reported];
      }),
    ],
    empty: 'The template requires nothing, and no evidence was reported.',
    maximumBytes: 14_000,
  });
}

function renderArtifacts(context: PageContext, { details, history }: TrailView): Html {
  const { org, flow } = details.trail;
  const { paths } = context;
  const toRow = ({ artifact, state }: TrailArtifactStatus): readonly Hole[] => {
    const { reported } = artifact;
    if (reported === undefined) return [artifact.name, renderBadge(state), '', '', ''];
    const { fingerprint } = reported.report;
    const runs = (history.appearances.get(fingerprint) ?? []).filter(({ exitedAt }) => exitedAt === undefined);
    const places = [...new Set(runs.map(({ environment }) => environment))];
    return [
      pageLink(paths.artifact(org, flow, fingerprint, reported.id), clip(artifact.name, 100)),
      renderBadge(state),
      renderHash(fingerprint),
      renderLinks(places, (place) => paths.environment(org, place), 5),
      renderTime(reported.createdAt, context),
    ];
  };
  return renderTable({
    label: 'Artifacts',
    columns: ['Artifact', 'State', 'Fingerprint', 'Runs in', 'Reported'],
    rows: details.judgement.artifacts.map(toRow),
    empty: html`No artifact was reported to this trail. A step with <code>operation: attest-artifact</code> reports one.`,
    maximumBytes: 8000,
  });
}

interface Event {
  readonly at: number;
  readonly cells: readonly Hole[];
}

function renderEvents(context: PageContext, { details, history, marked }: TrailView): Html {
  const { trail } = details;
  const event = (at: number, what: Hole, state: Hole, detail: Hole): Event => ({
    at,
    cells: [renderTime(at, context), what, state, detail],
  });
  const events = [
    ...history.attestations.map((attestation) =>
      event(
        attestation.createdAt,
        describeAttestation(context, attestation, marked),
        renderBadge(attestation.verdict),
        clip(describeEvidence(attestation), 200),
      ),
    ),
    ...history.artifacts.map((artifact) =>
      event(artifact.createdAt, describeArtifact(context, artifact), '', `by ${artifact.reportedBy}`),
    ),
    ...history.updates.map(({ at, commit }) =>
      event(at, 'Trail updated', '', commit === undefined ? '' : html`Commit ${renderCommit(commit)}`),
    ),
    event(trail.createdAt, 'Trail begun', '', ''),
  ].toSorted((one, other) => other.at - one.at);
  return renderTable({
    label: 'Events',
    columns: ['When', 'What', 'State', 'Details'],
    rows: events.map(({ cells }) => cells),
    empty: 'Nothing was reported to this trail yet.',
    maximumBytes: 28_000,
  });
}

function describeArtifact({ paths }: PageContext, { org, flow, id, report }: ReportedArtifact): Html {
  return html`Artifact ${pageLink(paths.artifact(org, flow, report.fingerprint, id), clip(report.filename, 100))}
  reported`;
}

function describeAttestation(
  { paths }: PageContext,
  attestation: AttestationWithSubject,
  marked: string | undefined,
): Html {
  const { org, flow, trail, id, name, type } = attestation;
  const words = html`Attestation ${pageLink(paths.attestation(org, flow, trail, id), name)} (${type})`;
  return id === marked ? html`<strong class="mark">${words}</strong>` : words;
}
