import type { GenericAttestation } from '../../contract/attestations/generic.ts';
import { sumResults, type JunitAttestation, type JunitResult } from '../../contract/attestations/junit.ts';
import type { PullRequest, PullRequestAttestation } from '../../contract/attestations/pull-request.ts';
import {
  describeLimit,
  describeMeasure,
  ignoredConditionsNote,
  noConditionsNote,
  revisionKeys,
  type SonarAttestation,
} from '../../contract/attestations/sonar.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { isOfKind, type Attestation } from './attestation.ts';
import { revisionDoubt } from './sonar.ts';
import {
  clip,
  describeDuration,
  renderBadge,
  renderCommit,
  renderEmpty,
  renderTime,
  type BadgeState,
} from '../platform/pages/components.ts';
import { html, link, type Hole, type Html } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';

/** What only one kind of attestation shows. */
export interface KindContent {
  readonly facts: readonly (readonly [name: string, fact: Html | string | undefined])[];
  readonly content: Html;
}

export function renderKind(context: PageContext, attestation: Attestation): KindContent {
  if (isOfKind(attestation, 'sonar')) return renderSonar(attestation.document);
  if (isOfKind(attestation, 'junit')) return renderJunit(context, attestation.document);
  if (isOfKind(attestation, 'pull_request')) return renderPullRequests(context, attestation.document);
  if (isOfKind(attestation, 'generic')) return renderGeneric(attestation.document);
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
        empty: renderEmpty(noConditionsNote),
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
  const { total, failures, errors, skipped } = sumResults(results);
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
    facts: [
      ['Tests', String(total)],
      ['Failed', String(failures)],
      ['With errors', String(errors)],
      ['Skipped', String(skipped)],
    ],
    content: html`<h2>Test suites</h2>
      ${renderTable({
        label: 'Test suites, those with failures first',
        columns: ['Suite', 'State', 'Failures', 'Errors', 'Skipped', 'Tests', 'Duration', 'Ran'],
        rows,
        empty: renderEmpty('The report has no test suites.'),
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
        empty: renderEmpty(
          'The commit belongs to no pull request. Push it through one, and attest the pull request again.',
        ),
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
        clip(commit.message.split('\n', 1)[0] ?? '', 120),
        clip(commit.author, 100),
        commit.verified === true ? 'verified' : clip(commit.signature_state ?? '', 40),
        renderTime(commit.timestamp, context),
      ]),
      empty: html``,
      maximumBytes: 8000,
    })}`;
}
