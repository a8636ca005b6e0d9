import type { CustomAttestation } from '../../contract/attestations/custom.ts';
import type { GenericAttestation } from '../../contract/attestations/generic.ts';
import type { JiraAttestation } from '../../contract/attestations/jira.ts';
import {
  describeTests,
  type JunitAttestation,
  type JunitResult,
  sumResults,
} from '../../contract/attestations/junit.ts';
import type { PullRequest, PullRequestAttestation } from '../../contract/attestations/pull-request.ts';
import {
  countFindings,
  describeFindings,
  type Finding,
  type SnykAttestation,
} from '../../contract/attestations/snyk.ts';
import {
  describeLimit,
  describeMeasure,
  ignoredConditionsNote,
  noConditionsNote,
  revisionKeys,
  type SonarAttestation,
} from '../../contract/attestations/sonar.ts';
import { type FoundLicenses, readLicenses, type SystemAttestation } from '../../contract/attestations/system.ts';
import { firstLine } from '../../contract/commit.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import {
  type BadgeState,
  clip,
  describeDuration,
  renderBadge,
  renderCommit,
  renderJson,
  renderTime,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html, link } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';
import { type Attestation, isOfKind } from './attestation.ts';
import { revisionDoubt } from './sonar.ts';

export interface KindContent {
  readonly facts: readonly (readonly [name: string, fact: Html | string | undefined])[];
  readonly content: Html;
}

export function renderKind(context: PageContext, attestation: Attestation): KindContent {
  if (isOfKind(attestation, 'sonar')) return renderSonar(attestation.document);
  if (isOfKind(attestation, 'junit')) return renderJunit(context, attestation.document);
  if (isOfKind(attestation, 'pull_request')) return renderPullRequests(context, attestation.document);
  if (isOfKind(attestation, 'generic')) return renderGeneric(attestation.document);
  if (isOfKind(attestation, 'snyk')) return renderScan(attestation.document);
  if (isOfKind(attestation, 'jira')) return renderIssues(attestation.document);
  if (isOfKind(attestation, 'system')) return renderSystem(attestation.document);
  if (isOfKind(attestation, 'custom')) return renderCustom(attestation.document);
  return { facts: [], content: html`` };
}

function renderGeneric({ is_compliant: isCompliant }: GenericAttestation): KindContent {
  const words = { true: 'compliant', false: 'not compliant', undefined: 'nothing, which counts as compliant' };
  return { facts: [['The sender said', words[`${isCompliant}`]]], content: html`` };
}

const gateBadges: Readonly<Record<string, BadgeState>> = { OK: 'COMPLIANT', ERROR: 'NON-COMPLIANT' };

function renderGateStatus(status: string): Html {
  return renderBadge(gateBadges[status] ?? 'unjudged', clip(status, 40));
}

function renderSonar(document: SonarAttestation): KindContent {
  const { project, qualityGate, analysedAt, revision } = document.sonar_results;
  const failing = (status: string): number => ['ERROR', 'WARN'].indexOf(status);
  const conditions = qualityGate.conditions
    .toSorted((one, other) => Number(failing(other.status) >= 0) - Number(failing(one.status) >= 0))
    .map((condition): readonly Hole[] => {
      const { metric, value = '', status } = condition;
      return [
        clip(metric, 120),
        renderGateStatus(status),
        html`<span class="number">${value === '' ? 'no value' : clip(describeMeasure(metric, value), 60)}</span>`,
        clip(describeLimit(condition) ?? '', 100),
      ];
    });
  return {
    facts: [
      ['Project', link(project.url, clip(project.name ?? project.key, 200))],
      ['Analysed', analysedAt],
      ['Revision', revision],
      ['Revision check', renderRevisionCheck(document)],
      ['Quality gate', html`${renderGateStatus(qualityGate.status)} ${clip(qualityGate.name ?? '', 200)}`],
      ['Ignored conditions', qualityGate.ignoredConditions === true ? ignoredConditionsNote : undefined],
    ],
    content: html`<h2>Conditions</h2>
      ${renderTable({
        label: 'Conditions of the quality gate',
        columns: ['Metric', 'Status', 'Value', 'Requirement'],
        rows: conditions,
        empty: noConditionsNote,
        maximumBytes: 40_000,
      })}`,
  };
}

/** What the sender says; undefined if it neither doubts the revision nor says what confirmed it. */
function renderRevisionCheck(document: SonarAttestation): Html | undefined {
  const doubt = revisionDoubt(document);
  if (doubt !== undefined) return html`<strong>revision not verified</strong>: ${clip(doubt)}`;
  const confirmedBy = textAt(document.user_data, revisionKeys.confirmedBy);
  return confirmedBy === undefined ? undefined : html`confirmed by ${clip(confirmedBy, 200)}`;
}

function renderJunit(context: PageContext, { junit_results: results }: JunitAttestation): KindContent {
  const bad = (result: JunitResult): number => result.failures + result.errors;
  const rows = results
    .toSorted((one, other) => bad(other) - bad(one))
    .map((result): readonly Hole[] => [
      clip(result.name, 200),
      renderSuiteState(result),
      String(result.failures),
      String(result.errors),
      String(result.skipped),
      String(result.total),
      describeDuration(result.duration),
      result.timestamp === undefined ? '' : renderTime(result.timestamp, context),
    ]);
  return {
    facts: [['Tests', describeTests(sumResults(results))]],
    content: html`<h2>Test suites</h2>
      ${renderTable({
        label: 'Test suites, those with failures first',
        columns: ['Suite', 'State', 'Failures', 'Errors', 'Skipped', 'Tests', 'Duration', 'Ran'],
        rows,
        empty: 'The report has no test suites.',
        maximumBytes: 45_000,
      })}`,
  };
}

function renderSuiteState({ failures, errors, total, skipped }: JunitResult): Html {
  if (failures + errors > 0) return renderBadge('NON-COMPLIANT', 'Failed');
  return total - skipped > 0 ? renderBadge('COMPLIANT', 'Passed') : renderBadge('unjudged', 'Nothing ran');
}

function renderPullRequests(context: PageContext, document: PullRequestAttestation): KindContent {
  const { pull_requests: pullRequests, git_provider: provider } = document;
  const rows = pullRequests.map((one): readonly Hole[] => [
    link(one.url, clip(one.title ?? one.url, 200)),
    clip(one.state, 40),
    clip(one.author ?? '', 100),
    html`${clip(one.head_ref ?? '', 80)} → ${clip(one.base_ref ?? '', 80)}`,
    one.merged_at === undefined ? '' : renderTime(one.merged_at, context),
    renderReviewers(context, one),
  ]);
  return {
    facts: [['Provider', provider]],
    content: html`<h2>Pull requests</h2>
      ${renderTable({
        label: 'Pull requests',
        columns: ['Pull request', 'State', 'Author', 'Branches', 'Merged', 'Reviewers'],
        rows,
        empty: 'The commit belongs to no pull request. Push it through one, and attest the pull request again.',
      })}
      ${pullRequests.slice(0, 3).map((one) => renderCommits(context, one))}`,
  };
}

function renderReviewers(context: PageContext, { approvers }: PullRequest): Hole {
  if (approvers === null || approvers.length === 0) return 'nobody';
  const names = approvers.slice(0, 20).map((approver) => {
    if (typeof approver === 'string') return html`<li>${clip(approver, 100)}</li>`;
    const { username, state, timestamp } = approver;
    const time = timestamp === undefined ? undefined : html`, ${renderTime(timestamp, context)}`;
    const words = state === undefined ? undefined : html`: ${clip(state, 40)}`;
    return html`<li>${clip(username, 100)}${words}${time}</li>`;
  });
  return html`<ul class="plain">
    ${names}
  </ul>`;
}

function renderCommits(context: PageContext, { commits, title, url }: PullRequest): Html {
  if (commits.length === 0) return html``;
  const name = clip(title ?? url, 120);
  return html`<h3>Commits of ${name}</h3>
    ${renderTable({
      label: `Commits of ${name}`,
      columns: ['Commit', 'Message', 'Author', 'Signature', 'When'],
      rows: commits.map((commit): readonly Hole[] => [
        renderCommit(commit),
        clip(firstLine(commit.message) ?? '', 120),
        clip(commit.author, 100),
        commit.verified === true ? 'verified' : clip(commit.signature_state ?? '', 40),
        renderTime(commit.timestamp, context),
      ]),
      maximumBytes: 8000,
    })}`;
}

function renderScan(document: SnykAttestation): KindContent {
  const { tool, results } = document.snyk_results;
  const rows = (['high', 'medium', 'low'] as const).flatMap((severity) =>
    results.flatMap((result) => (result[severity] ?? []).map((finding) => renderFinding(severity, finding))),
  );
  return {
    facts: [
      ['Scanner', clip(`${tool.name} ${tool.version}`, 200)],
      ['Findings', describeFindings(countFindings(document))],
    ],
    content: html`<h2>Findings</h2>
      ${renderTable({
        label: 'Findings, the worst first',
        columns: ['Severity', 'Rule', 'Message', 'Where'],
        rows,
        empty: 'The evidence lists no findings.',
        maximumBytes: 45_000,
      })}`,
  };
}

function renderFinding(severity: string, { id, message, locations = [] }: Finding): readonly Hole[] {
  const [first] = locations;
  const place = first === undefined ? '' : `${first.uri}${first.lines === undefined ? '' : `:${first.lines}`}`;
  return [severity, clip(id, 120), clip(message, 300), clip(place, 200)];
}

function renderIssues({ jira_results: results }: JiraAttestation): KindContent {
  const rows = (results ?? []).map(({ issue_id: id, issue_url: url, issue_exists: exists, issue_fields: fields }) => [
    link(url, clip(id, 100)),
    exists ? renderBadge('COMPLIANT', 'Exists') : renderBadge('NON-COMPLIANT', 'Not found'),
    clip(textAt(fields, 'summary') ?? '', 200),
    clip(textAt(valueAt(fields, 'status'), 'name') ?? '', 60),
  ]);
  return {
    facts: [],
    content: html`<h2>Issues</h2>
      ${renderTable({
        label: 'Issues that the change names',
        columns: ['Issue', 'In the tracker', 'Summary', 'Status'],
        rows,
        empty: 'The change names no issue. Name one in the branch, the title or a commit message.',
      })}`,
  };
}

function renderSystem(document: SystemAttestation): KindContent {
  if (document.type_name === 'sbom') return renderBillOfMaterials(document);
  const { control = '', attestation_data: data } = document;
  const words = { true: 'met', false: 'not met', undefined: 'it does not say' };
  return {
    facts: [
      ['Control', clip(control, 200)],
      ['Decision', words[`${data.is_compliant}`]],
    ],
    content: html``,
  };
}

function renderBillOfMaterials(attestation: SystemAttestation): KindContent {
  const { format = '', original_fingerprint: digest = '', document } = attestation.attestation_data;
  const licenses = readLicenses(attestation);
  return {
    facts: [
      ['Format', clip(format, 60)],
      ['Components', document?.package_count?.toString()],
      ['SHA-256', clip(digest, 64)],
      ['Licences', clip(licenses?.licenses.join(', ') ?? '', 1000)],
    ],
    content: html`${licenses === undefined ? undefined : renderLicenses(licenses)}
      <h2>About the document</h2>
      ${renderJson(document ?? {})}`,
  };
}

function renderLicenses({ not_allowed: notAllowed, unknown }: FoundLicenses): Html {
  const rows = [
    ...notAllowed.map(({ component, license }) => [clip(component, 200), clip(license, 200)]),
    ...unknown.map((component) => [clip(component, 200), 'none that can be read']),
  ];
  return html`<h2>Licences</h2>
    ${renderTable({
      label: 'Components whose licence is not allowed, or not known',
      columns: ['Component', 'Licence'],
      rows,
      empty: 'All licences are known and allowed.',
      maximumBytes: 20_000,
    })}`;
}

function renderCustom({
  type_name: name,
  type_version: version,
  summary = [],
  attestation_data: data,
}: CustomAttestation): KindContent {
  return {
    facts: [
      ['Type', clip(name, 200)],
      ['Judged by', version === undefined ? undefined : `version ${version} of the type`],
      ...summary.map((entry) => [clip(entry.name, 100), clip(entry.value, 500)] as const),
    ],
    content: html`<h2>Data</h2>
      ${renderJson(data)}`,
  };
}
