import { toArtifactState } from '../../contract/compliance.ts';
import { combineFailures } from '../combine-failures.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { pollFacts, timeoutNotice, withPollNotes, type PollTiming } from '../polling.ts';
import { fact, type Evidence } from '../report.ts';
import { artifactCommit, artifactFacts } from './artifact-facts.ts';
import { concludeSeveral } from './conclusion.ts';
import { createEvidence } from './evidence-table.ts';
import { stateReason, type ArtifactJudgement, type Judgement } from './judge-artifacts.ts';

/** The judgement of the last poll. */
export interface FinalJudgement extends Judgement {
  readonly flow: string;
  readonly timing: PollTiming;
}

/**
 * The result of the operation: the worst artifact decides, and the report has all of them.
 *
 * @throws Failure if there is only one artifact and it could not be looked up
 */
export function createArtifactResult(judgement: FinalJudgement): OperationResult {
  const [first, ...others] = judgement.artifacts;
  return first !== undefined && others.length === 0 ? resultOfOne(first, judgement) : resultOfMany(judgement);
}

function resultOfOne(judged: ArtifactJudgement, judgement: FinalJudgement): OperationResult {
  const { flow, timing } = judgement;
  // Without an answer there is only the failure to report.
  if (judged.failure !== undefined) throw withPollNotes(judged.failure, timing, judged.lastState);
  const { artifact, title } = judged;
  const state = [`${title} in flow ${flow} is ${artifact.state ?? ''}`, ...stateReason(artifact)];
  const conclusion = [`${state.join('. ')}.`, ...timeoutNotice(timing)].join(' ');
  return {
    ...toOutcome(judgement, conclusion),
    conclusion,
    response: artifact,
    fingerprint: artifact.fingerprint,
    htmlUrl: artifact.html_url,
    commits: collectCommits([judged]),
    report: {
      subject: title,
      evidence: evidenceWithNotice(judgement),
      facts: [...artifactFacts(artifact, flow), ...pollFacts(timing)],
      tables: [],
    },
  };
}

function resultOfMany(judgement: FinalJudgement): OperationResult {
  const { artifacts, flow, timing } = judgement;
  const conclusion = [concludeSeveral(judgement, flow), ...timeoutNotice(timing)].join(' ');
  return {
    ...toOutcome(judgement, conclusion),
    conclusion,
    response: artifacts.map(responseEntry),
    fingerprint: artifacts.map(({ fingerprint }) => fingerprint).join('\n'),
    commits: collectCommits(artifacts),
    report: {
      subject: `${artifacts.length} artifacts of flow ${flow}`,
      evidence: evidenceWithNotice(judgement),
      facts: [...fact('Flow', flow), ...pollFacts(timing)],
      tables: [],
      copies: artifacts.map(({ query, fingerprint }) => ({ label: query.name ?? '', text: fingerprint })),
    },
  };
}

function evidenceWithNotice(judgement: FinalJudgement): Evidence {
  const evidence = createEvidence(judgement);
  return { ...evidence, notes: [...evidence.notes, ...timeoutNotice(judgement.timing)] };
}

function toOutcome(
  { verdict, failureGroups }: Judgement,
  conclusion: string,
): OperationOutcome & Pick<OperationResult, 'state'> {
  if (verdict !== undefined) return { outcome: verdict, state: toArtifactState(verdict) };
  const failures = failureGroups.map(({ failure }) => failure);
  return { outcome: 'error', failure: combineFailures(failures, conclusion), state: undefined };
}

/** The commits of the artifacts, once each; undefined if the service names none. */
function collectCommits(artifacts: readonly ArtifactJudgement[]): readonly string[] | undefined {
  const commits = artifacts.flatMap(({ artifact }) => artifactCommit(artifact)?.sha ?? []);
  return commits.length === 0 ? undefined : [...new Set(commits)];
}

/** One of several artifacts in the output `response`. */
function responseEntry({
  query,
  fingerprint,
  verdict,
  artifact,
  failure,
}: ArtifactJudgement): Readonly<Record<string, unknown>> {
  return {
    fingerprint,
    ...(query.name === undefined ? {} : { file: query.name }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(failure === undefined ? { artifact } : { error: failure.message }),
  };
}
