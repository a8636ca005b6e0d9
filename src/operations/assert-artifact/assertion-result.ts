import { toArtifactState } from '../../contract/compliance.ts';
import { combineFailures } from '../combine-failures.ts';
import { evidenceLabel, evidenceMark, toEvidenceState } from '../evidence-state.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { pollFacts, timeoutNotice, withPollNotes, type PollTiming } from '../polling.ts';
import { abbreviate, code, fact, link, plain, type Evidence, type Line, type Text } from '../report.ts';
import { summarizeList, withoutFullStop } from '../sentences.ts';
import { describeVerdict, type AssertedArtifact, type Assertions } from './judge-assertions.ts';
import type { Criterion } from './parse-assertion.ts';

/** The maximum number of problems in the report. */
const maximumProblems = 50;

/** The maximum number of artifacts in the table and in the conclusion. */
const maximumRows = 100;
const maximumNamed = 3;

/**
 * The result of the operation: the worst artifact decides, and the report says for each what is missing, rule by rule.
 *
 * @throws Failure if there is only one artifact and it could not be judged
 */
export function createAssertionResult(
  assertions: Assertions,
  criterion: Criterion,
  timing: PollTiming,
): OperationResult {
  const { artifacts } = assertions;
  const [first, ...others] = artifacts;
  if (first?.settled.failure !== undefined && others.length === 0) {
    const { failure, last } = first.settled;
    throw withPollNotes(failure, timing, last === undefined ? undefined : describeVerdict(last));
  }
  const conclusion = [conclude(artifacts, criterion), ...timeoutNotice(timing)].join(' ');
  const answers = artifacts.map(({ settled }) => settled.value?.answer);
  return {
    ...toOutcome(assertions, conclusion),
    conclusion,
    response: others.length === 0 ? answers[0] : artifacts.map(toResponseEntry),
    fingerprint: artifacts.map(({ artifact }) => artifact.fingerprint).join('\n'),
    htmlUrl: answers[0]?.html_url,
    report: {
      subject: others.length === 0 ? (first?.title ?? '') : `${artifacts.length} artifacts`,
      evidence: createEvidence(artifacts, timing),
      facts: [
        ...fact('Flow', criterion.flow),
        ...fact('Environment', criterion.environment),
        ...fact('Policies', criterion.policies?.join(', ')),
        ...pollFacts(timing),
      ],
      tables: [],
      copies: artifacts
        .slice(0, maximumRows)
        .map(({ artifact }) => ({ label: artifact.name ?? '', text: artifact.fingerprint })),
    },
  };
}

function toOutcome(
  { verdict, failures }: Assertions,
  conclusion: string,
): OperationOutcome & Pick<OperationResult, 'state'> {
  if (verdict !== undefined) return { outcome: verdict, state: toArtifactState(verdict) };
  return { outcome: 'error', failure: combineFailures(failures, conclusion), state: undefined };
}

function conclude(artifacts: readonly AssertedArtifact[], criterion: Criterion): string {
  const by = describeCriterion(criterion);
  const bad = artifacts.flatMap(({ title, settled: { value, failure } }) => {
    if (failure !== undefined) return [`${title} could not be judged (${withoutFullStop(failure.message)})`];
    return value.verdict === 'compliant' ? [] : [`${title} is ${withoutFullStop(describeVerdict(value))}`];
  });
  const [only] = artifacts;
  if (bad.length === 0) {
    return artifacts.length === 1 && only !== undefined
      ? `${only.title} is COMPLIANT ${by}.`
      : `All ${artifacts.length} artifacts are COMPLIANT ${by}.`;
  }
  if (artifacts.length === 1) return `Judged ${by}: ${bad.join('')}.`;
  return `${bad.length} of ${artifacts.length} artifacts did not pass, judged ${by}: ${summarizeList(bad, maximumNamed)}.`;
}

function describeCriterion({ flow, environment, policies }: Criterion): string {
  const where = flow === undefined ? '' : `, in flow ${flow}`;
  if (environment !== undefined) return `by the policies of environment ${environment}${where}`;
  if (policies !== undefined)
    return `by ${policies.length === 1 ? 'policy' : 'the policies'} ${policies.join(', ')}${where}`;
  return flow === undefined ? 'in all flows that have it' : `in flow ${flow}`;
}

function createEvidence(artifacts: readonly AssertedArtifact[], timing: PollTiming): Evidence {
  const problems = artifacts.flatMap((asserted) => listProblems(asserted, artifacts.length === 1));
  return {
    table: {
      title: 'Artifacts',
      columns: ['Artifact', 'Fingerprint', 'Verdict'],
      rows: artifacts.slice(0, maximumRows).map(toRow),
      ...(artifacts.length > maximumRows ? { more: artifacts.length - maximumRows } : {}),
    },
    notes: timeoutNotice(timing),
    problems: problems.slice(0, maximumProblems),
    moreProblems: Math.max(0, problems.length - maximumProblems),
  };
}

function toRow({ artifact, settled: { value } }: AssertedArtifact): readonly Text[] {
  return [
    link(artifact.name ?? abbreviate(artifact.fingerprint), value?.answer.html_url),
    code(abbreviate(artifact.fingerprint)),
    plain(evidenceLabel(toEvidenceState(value?.verdict))),
  ];
}

function listProblems({ title, settled: { value, failure } }: AssertedArtifact, isOnly: boolean): readonly Line[] {
  const prefix = isOnly ? '' : `${title}: `;
  if (failure !== undefined) return [[plain(`⛔ ${prefix}could not be judged: ${withoutFullStop(failure.message)}`)]];
  return value.shortcomings.map(({ source, words, verdict }) => [
    plain(`${evidenceMark(toEvidenceState(verdict))} ${prefix}${source}: ${withoutFullStop(words)}`),
  ]);
}

function toResponseEntry({
  artifact,
  settled: { value, failure },
}: AssertedArtifact): Readonly<Record<string, unknown>> {
  return {
    fingerprint: artifact.fingerprint,
    ...(artifact.name === undefined ? {} : { file: artifact.name }),
    ...(failure === undefined ? { verdict: value.verdict, assertion: value.answer } : { error: failure.message }),
  };
}
