import type { ArtifactAssertion } from '../../contract/artifact-assertion.ts';
import { evidenceLabel, toEvidenceState } from '../evidence-state.ts';
import { toResponseEntry } from '../identify-artifacts.ts';
import { type JudgedAnswer, type JudgedSubject, type JudgedSubjects, toJudgementResult } from '../judged-subjects.ts';
import type { OperationResult } from '../operation.ts';
import { pollFacts, timeoutNotice } from '../polling.ts';
import { abbreviate, code, fact, link, plain, type Text } from '../report.ts';
import { type Criterion, describeCriterion } from './criterion.ts';

const maximumRows = 100;

/** The service's answer about an artifact, judged. */
export interface AssertionAnswer extends JudgedAnswer {
  /** Absent if nobody reported the artifact. */
  readonly assertion?: ArtifactAssertion;
}

/**
 * The result of the operation: the worst artifact decides, and the report says for each what is missing, rule by rule.
 *
 * @throws Failure if there is only one artifact and it could not be judged
 */
export function createAssertionResult(
  judgement: JudgedSubjects<AssertionAnswer>,
  criterion: Criterion,
): OperationResult {
  const { subjects, only, timing } = judgement;
  const { reasons, ...result } = toJudgementResult(judgement, describeCriterion(criterion));
  const assertion = only?.settled.value?.assertion;
  return {
    ...result,
    response: assertion ?? (only === undefined ? subjects.map(toEntry) : toEntry(only)),
    fingerprint: subjects.map(({ digits }) => digits).join('\n'),
    htmlUrl: assertion?.html_url,
    report: {
      subject: only?.title ?? `${subjects.length} artifacts`,
      reasons,
      evidence: {
        table: {
          title: 'Artifacts',
          columns: ['Artifact', 'Fingerprint', 'Verdict'],
          rows: subjects.slice(0, maximumRows).map(toRow),
          ...(subjects.length > maximumRows ? { more: subjects.length - maximumRows } : {}),
        },
        notes: timeoutNotice(timing),
      },
      facts: [
        ...fact('Flow', criterion.flow),
        ...fact('Environment', criterion.environment),
        ...fact('Policies', criterion.policies?.join(', ')),
        ...pollFacts(timing),
      ],
      copies: subjects.slice(0, maximumRows).map(({ file = '', digits }) => ({ label: file, text: digits })),
    },
  };
}

function toRow({ label, digits, settled: { value } }: JudgedSubject<AssertionAnswer>): readonly Text[] {
  return [
    link(label, value?.assertion?.html_url),
    code(abbreviate(digits)),
    plain(evidenceLabel(toEvidenceState(value?.verdict))),
  ];
}

function toEntry(subject: JudgedSubject<AssertionAnswer>): Readonly<Record<string, unknown>> {
  return toResponseEntry(subject, { assertion: subject.settled.value?.assertion });
}
