import { ignoredConditionsNote, type SonarResults } from '../../contract/attestation.ts';
import type { GitCommitInfo } from '../../contract/commit.ts';
import { gateStatuses, verdictFromGateStatus } from '../../contract/compliance.ts';
import type { Attachment } from '../../evidence/attachment/attachment.ts';
import type { SonarEvidence } from '../../evidence/sonar/gather-sonar.ts';
import { ExternalError } from '../../runtime/failure.ts';
import { toEvidenceState, evidenceLabel } from '../evidence-state.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { code, fact, link, plain, abbreviate, type Evidence, type Table, type Text } from '../report.ts';
import { summarizeList } from '../sentences.ts';

/** An analysis that was attested, or that is to be attested later. */
export interface AttestedAnalysis {
  readonly flow: string;
  readonly trail: string;
  readonly attestationName: string;
  readonly commit: GitCommitInfo;
  readonly sonar: SonarEvidence;
  readonly attachment: Attachment | undefined;
  /** Whether the service has it. */
  readonly isRecorded: boolean;
  readonly response: unknown;
}

type Condition = SonarResults['qualityGate']['conditions'][number];

/** The result for an analysis: its quality gate decides. */
export function createSonarResult(attested: AttestedAnalysis): OperationResult {
  const { results } = attested.sonar;
  const { status, conditions, ignoredConditions } = results.qualityGate;
  return {
    ...toOutcome(status, attested.isRecorded),
    state: status,
    conclusion: conclude(attested),
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
        ...fact('Project', results.project.key, attested.sonar.dashboardUrl),
        ...fact('Branch', results.branch?.name),
        ...fact('Pull request', results.pullRequest),
        ...fact('Analysed at', results.analysedAt),
        ...fact('Commit', attested.commit.sha1, attested.commit.url),
        ...fact('Revision', describeRevision(attested.sonar)),
        ...fact('Commit message', attested.commit.message?.split('\n')[0]),
        ...fact('Author', attested.commit.author),
        ...fact('Flow', attested.flow),
        ...fact('Trail', attested.trail),
        ...fact('Attestation', attested.attestationName),
        ...fact('Attachment', describeAttachment(attested.attachment)),
      ],
      evidence: createSonarEvidence(attested),
      tables: conditions.length === 0 ? [] : [conditionsTable(conditions)],
    },
  };
}

function toOutcome(status: string, isRecorded: boolean): OperationOutcome {
  const verdict = verdictFromGateStatus(status);
  if (verdict !== undefined) return { outcome: verdict };
  return {
    outcome: 'error',
    failure: new ExternalError({
      what: `attest-sonar: Sonar reports the unknown quality gate status ${JSON.stringify(status)} (known: ${gateStatuses.join(', ')})${isRecorded ? '; the analysis was recorded' : ''}`,
      remedy: 'Update this action to a version that knows the status. Until then the analysis does not pass.',
    }),
  };
}

function conclude({ sonar, commit, flow, attestationName, isRecorded }: AttestedAnalysis): string {
  const { qualityGate, project } = sonar.results;
  const failed = qualityGate.conditions.filter(({ status }) => status === 'ERROR').map(describeCondition);
  const why = failed.length === 0 ? '' : ` (${summarizeList(failed, 1)})`;
  const recorded = isRecorded ? ` The analysis is recorded as ${attestationName} in flow ${flow}.` : '';
  const name = project.name ?? project.key;
  const sha = abbreviate(commit.sha1);
  if (sonar.unverifiedReason === undefined) {
    return `The quality gate of ${name} at commit ${sha} is ${qualityGate.status}${why}.${recorded}`;
  }
  return `The quality gate of ${name} is ${qualityGate.status}${why}; revision not verified: nothing confirms that commit ${sha} was analysed.${recorded}`;
}

function describeRevision({ unverifiedReason }: SonarEvidence): string | undefined {
  return unverifiedReason === undefined ? undefined : `not verified: ${unverifiedReason}`;
}

function describeCondition(condition: Condition): string {
  const { metric, value } = condition;
  const measured = value === undefined ? metric : `${metric} is ${value}`;
  const limit = describeLimit(condition);
  return limit === '' ? measured : `${measured}, fails if ${limit}`;
}

/** `< 80`; empty without a threshold, and no sign without an operator. */
function describeLimit({ operator, errorThreshold }: Condition): string {
  if (errorThreshold === undefined) return '';
  return operator === undefined ? errorThreshold : `${sign(operator)} ${errorThreshold}`;
}

// The web API and the webhook name the same comparison differently.
const signs: Readonly<Record<string, string>> = {
  GT: '>',
  GREATER_THAN: '>',
  LT: '<',
  LESS_THAN: '<',
  EQ: '=',
  EQUALS: '=',
  NE: '≠',
  NOT_EQUALS: '≠',
};

function sign(operator: string): string {
  return Object.hasOwn(signs, operator) ? (signs[operator] ?? operator) : operator;
}

function conditionsTable(conditions: readonly Condition[]): Table {
  return {
    title: 'Conditions of the quality gate',
    columns: ['Metric', 'Value', 'Fails if', 'Status'],
    rows: failedFirst(conditions).map((condition): readonly Text[] => [
      code(condition.metric),
      plain(condition.value ?? ''),
      plain(describeLimit(condition)),
      plain(`${statusMark(condition.status)}${condition.status}`),
    ]),
  };
}

/** Failed conditions first. */
function failedFirst(conditions: readonly Condition[]): readonly Condition[] {
  const rank = ({ status }: Condition): number => (status === 'ERROR' ? 0 : 1);
  return conditions.toSorted((one, other) => rank(one) - rank(other));
}

const marks: Readonly<Record<string, string>> = { OK: '✅ ', ERROR: '❌ ', WARN: '⚠️ ' };

function statusMark(status: string): string {
  return Object.hasOwn(marks, status) ? (marks[status] ?? '') : '';
}

/** The trail with this one attestation; the table of conditions shows why it failed. */
function createSonarEvidence({ trail, commit, attestationName, sonar }: AttestedAnalysis): Evidence {
  const { status } = sonar.results.qualityGate;
  const state = evidenceLabel(toEvidenceState(verdictFromGateStatus(status)));
  return {
    table: {
      title: 'Evidence',
      columns: ['Trail', 'Commit', attestationName],
      rows: [
        [
          plain(trail === commit.sha1 ? abbreviate(trail) : trail),
          { ...code(abbreviate(commit.sha1)), href: commit.url },
          link(state, sonar.dashboardUrl),
        ],
      ],
    },
    notes:
      sonar.unverifiedReason === undefined
        ? []
        : [`⚠️ revision not verified: nothing confirms that commit ${abbreviate(commit.sha1)} was analysed.`],
    problems: [],
    moreProblems: 0,
  };
}

function describeAttachment(attachment: Attachment | undefined): string | undefined {
  if (attachment === undefined) return undefined;
  const files = attachment.parts.length === 1 ? '' : ` of ${attachment.parts.length} files`;
  return `${attachment.filename}${files}, ${attachment.size} bytes`;
}
