import {
  describeLimit,
  describeMeasure,
  ignoredConditionsNote,
  noConditionsNote,
  type SonarCondition,
} from '../../contract/attestations/sonar.ts';
import { gateStatuses, verdictFromGateStatus } from '../../contract/compliance.ts';
import type { SonarEvidence } from '../../evidence/sonar/gather-sonar.ts';
import { ExternalError } from '../../runtime/failure.ts';
import type { Attested, EvidencePresentation } from '../attest/attestation-report.ts';
import { abbreviate, code, fact, listTable, plain, type Text } from '../report.ts';

/** The quality gate with its conditions, and what was analysed. */
export function presentAnalysis(
  sonar: SonarEvidence,
  { commit, isRecorded }: Pick<Attested, 'commit' | 'isRecorded'>,
): EvidencePresentation {
  const { results, dashboardUrl } = sonar;
  const { status, name, conditions, ignoredConditions } = results.qualityGate;
  return {
    state: status,
    failure: verdictFromGateStatus(status) === undefined ? createUnknownStatusError(status, isRecorded) : undefined,
    href: dashboardUrl,
    notes: describeMissingRevision(sonar, commit.sha1),
    subject: `Sonar analysis of ${results.project.name ?? results.project.key}`,
    facts: [
      ...fact('Quality gate', [status, ...(name ? [`(${name})`] : [])].join(' '), dashboardUrl),
      ...fact('Ignored conditions', ignoredConditions === true ? ignoredConditionsNote : undefined),
      ...fact('Conditions', conditions.length === 0 ? noConditionsNote : undefined),
      ...fact('Project', results.project.key, dashboardUrl),
      ...fact('Branch', results.branch?.name),
      ...fact('Pull request', results.pullRequest),
      ...fact('Analysed at', results.analysedAt),
      ...fact('Revision', describeRevision(sonar)),
    ],
    tables: listTable('Conditions of the quality gate', columns, failedFirst(conditions).map(toRow)),
  };
}

function createUnknownStatusError(status: string, isRecorded: boolean): ExternalError {
  return new ExternalError({
    what: `attest-sonar: Sonar reports the unknown quality gate status ${JSON.stringify(status)} (known: ${gateStatuses.join(', ')})${isRecorded ? '; the analysis was recorded' : ''}`,
    remedy: 'Update this action to a version that knows the status. Until then the analysis does not pass.',
  });
}

function describeMissingRevision({ unverifiedReason }: SonarEvidence, sha: string): readonly string[] {
  if (unverifiedReason === undefined) return [];
  return [`Revision not verified: nothing confirms that commit ${abbreviate(sha)} was analysed.`];
}

function describeRevision({ confirmedBy, unverifiedReason }: SonarEvidence): string {
  return unverifiedReason === undefined ? `confirmed by ${confirmedBy}` : `not verified: ${unverifiedReason}`;
}

const columns = ['Metric', 'Value', 'Requirement', 'Status'];

function toRow(condition: SonarCondition): readonly Text[] {
  return [
    code(condition.metric),
    plain(describeMeasure(condition.metric, condition.value ?? '')),
    plain(describeLimit(condition) ?? ''),
    plain(`${statusMark(condition.status)}${condition.status}`),
  ];
}

function failedFirst(conditions: readonly SonarCondition[]): readonly SonarCondition[] {
  const rank = ({ status }: SonarCondition): number => (status === 'ERROR' ? 0 : 1);
  return conditions.toSorted((one, other) => rank(one) - rank(other));
}

const marks: Readonly<Record<string, string>> = { OK: '✅ ', ERROR: '❌ ', WARN: '⚠️ ' };

function statusMark(status: string): string {
  return Object.hasOwn(marks, status) ? (marks[status] ?? '') : '';
}
