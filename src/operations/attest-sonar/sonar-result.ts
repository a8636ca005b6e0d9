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
import { attestationEvidence, attestationFacts, concludeAttestation } from '../attest/attestation-report.ts';
import type { Attested } from '../attest/define-attest-operation.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { code, fact, plain, abbreviate, type Table, type Text } from '../report.ts';

/** An analysis that was attested, or that is to be attested later. */
export interface AttestedAnalysis extends Omit<Attested<unknown>, 'gathered'> {
  readonly sonar: SonarEvidence;
}

/** The result for an analysis: its quality gate decides. */
export function createSonarResult(attested: AttestedAnalysis): OperationResult {
  const { results } = attested.sonar;
  const { status, conditions, ignoredConditions } = results.qualityGate;
  const isKnown = verdictFromGateStatus(status) !== undefined;
  const notes = describeMissingRevision(attested);
  return {
    ...(isKnown ? { outcome: attested.verdict } : toUnknownOutcome(status, attested.isRecorded)),
    state: status,
    conclusion: concludeAttestation(attested, notes),
    response: attested.response,
    htmlUrl: attested.sonar.dashboardUrl,
    commits: [attested.commit.sha1],
    report: {
      subject: `Sonar analysis of ${results.project.name ?? results.project.key}`,
      facts: [
        ...fact(
          'Quality gate',
          [status, ...(results.qualityGate.name ? [`(${results.qualityGate.name})`] : [])].join(' '),
          attested.sonar.dashboardUrl,
        ),
        ...fact('Ignored conditions', ignoredConditions === true ? ignoredConditionsNote : undefined),
        ...fact('Conditions', conditions.length === 0 ? noConditionsNote : undefined),
        ...fact('Project', results.project.key, attested.sonar.dashboardUrl),
        ...fact('Branch', results.branch?.name),
        ...fact('Pull request', results.pullRequest),
        ...fact('Analysed at', results.analysedAt),
        ...fact('Revision', describeRevision(attested.sonar)),
        ...attestationFacts(attested),
      ],
      evidence: attestationEvidence(attested, isKnown ? attested.verdict : undefined, {
        href: attested.sonar.dashboardUrl,
        notes: notes.map((note) => `⚠️ ${note}`),
      }),
      tables: conditions.length === 0 ? [] : [conditionsTable(conditions)],
    },
  };
}

function toUnknownOutcome(status: string, isRecorded: boolean): OperationOutcome {
  return {
    outcome: 'error',
    failure: new ExternalError({
      what: `attest-sonar: Sonar reports the unknown quality gate status ${JSON.stringify(status)} (known: ${gateStatuses.join(', ')})${isRecorded ? '; the analysis was recorded' : ''}`,
      remedy: 'Update this action to a version that knows the status. Until then the analysis does not pass.',
    }),
  };
}

function describeMissingRevision({ sonar, commit }: AttestedAnalysis): readonly string[] {
  if (sonar.unverifiedReason === undefined) return [];
  return [`Revision not verified: nothing confirms that commit ${abbreviate(commit.sha1)} was analysed.`];
}

function describeRevision({ confirmedBy, unverifiedReason }: SonarEvidence): string {
  return unverifiedReason === undefined ? `confirmed by ${confirmedBy}` : `not verified: ${unverifiedReason}`;
}

function conditionsTable(conditions: readonly SonarCondition[]): Table {
  return {
    title: 'Conditions of the quality gate',
    columns: ['Metric', 'Value', 'Requirement', 'Status'],
    rows: failedFirst(conditions).map((condition): readonly Text[] => [
      code(condition.metric),
      plain(describeMeasure(condition.metric, condition.value ?? '')),
      plain(describeLimit(condition) ?? ''),
      plain(`${statusMark(condition.status)}${condition.status}`),
    ]),
  };
}

function failedFirst(conditions: readonly SonarCondition[]): readonly SonarCondition[] {
  const rank = ({ status }: SonarCondition): number => (status === 'ERROR' ? 0 : 1);
  return conditions.toSorted((one, other) => rank(one) - rank(other));
}

const marks: Readonly<Record<string, string>> = { OK: '✅ ', ERROR: '❌ ', WARN: '⚠️ ' };

function statusMark(status: string): string {
  return Object.hasOwn(marks, status) ? (marks[status] ?? '') : '';
}
