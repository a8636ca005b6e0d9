import { toArtifactState } from '../../contract/compliance.ts';
import type { Failure } from '../../runtime/failure.ts';
import { combineFailures } from '../combine-failures.ts';
import { describeLatestSnapshot } from '../latest-snapshot.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { pollFacts, timeoutNotice, withPollNotes, type PollTiming } from '../polling.ts';
import { fact, type Evidence } from '../report.ts';
import { withoutFullStop } from '../sentences.ts';
import { artifactCommit, artifactFacts, environmentFacts, runsLabel } from './artifact-facts.ts';
import { concludeSeveral } from './conclusion.ts';
import type { Standing } from './environment-standing.ts';
import { createEvidence } from './evidence-table.ts';
import { stateReason, type ArtifactJudgement, type Judgement } from './judge-artifacts.ts';
import type { EnvironmentLookup } from './lookup.ts';

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
  const { flow, timing, environment } = judgement;
  // Without an answer there is only the failure to report.
  if (judged.failure !== undefined) throw withPollNotes(judged.failure, timing, judged.lastState);
  const { artifact, standing, title } = judged;
  const state = [`${title} in flow ${flow} is ${artifact.state ?? ''}`, ...stateReason(artifact)];
  const conclusion = [
    `${state.join('. ')}.`,
    ...environmentSentences(environment, standing),
    ...timeoutNotice(timing),
  ].join(' ');
  return {
    ...toOutcome(judgement, conclusion),
    conclusion,
    response: environment === undefined ? artifact : responseEntry(judged, environment),
    fingerprint: artifact.fingerprint,
    htmlUrl: artifact.html_url,
    commits: collectCommits([judged]),
    report: {
      subject: title,
      evidence: evidenceWithNotice(judgement),
      facts: [
        ...artifactFacts(artifact, flow),
        ...environmentFacts(environment),
        ...(environment === undefined ? [] : fact('Runs there', runsLabel(standing))),
        ...pollFacts(timing),
      ],
      tables: [],
    },
  };
}

function resultOfMany(judgement: FinalJudgement): OperationResult {
  const { artifacts, flow, environment, timing } = judgement;
  const conclusion = [
    concludeSeveral(judgement, flow),
    ...environmentSentences(environment, undefined),
    ...timeoutNotice(timing),
  ].join(' ');
  return {
    ...toOutcome(judgement, conclusion),
    conclusion,
    response: artifacts.map((one) => responseEntry(one, environment)),
    fingerprint: artifacts.map(({ fingerprint }) => fingerprint).join('\n'),
    commits: collectCommits(artifacts),
    report: {
      subject: `${artifacts.length} artifacts of flow ${flow}`,
      evidence: evidenceWithNotice(judgement),
      facts: [...fact('Flow', flow), ...environmentFacts(environment), ...pollFacts(timing)],
      tables: [],
      copies: artifacts.map(({ query, fingerprint }) => ({ label: query.name ?? '', text: fingerprint })),
    },
  };
}

function evidenceWithNotice(judgement: FinalJudgement): Evidence {
  const evidence = createEvidence(judgement);
  return { ...evidence, notes: [...evidence.notes, ...timeoutNotice(judgement.timing)] };
}

function toOutcome(judgement: Judgement, conclusion: string): OperationOutcome & Pick<OperationResult, 'state'> {
  const { verdict } = judgement;
  if (verdict !== undefined) return { outcome: verdict, state: toArtifactState(verdict) };
  const failure = combineFailures(listFailures(judgement), conclusion);
  return { outcome: 'error', failure, state: undefined };
}

/** What could not be looked up, each reason once. */
function listFailures({ failureGroups, environment }: Judgement): readonly Failure[] {
  const there = environment?.settled.failure;
  return [...failureGroups.map(({ failure }) => failure), ...(there === undefined ? [] : [there])];
}

/** The commits of the artifacts, once each; undefined if the service names none. */
function collectCommits(artifacts: readonly ArtifactJudgement[]): readonly string[] | undefined {
  const commits = artifacts.flatMap(({ artifact }) => artifactCommit(artifact)?.sha ?? []);
  return commits.length === 0 ? undefined : [...new Set(commits)];
}

/** What the conclusion says about the environment: the standing of the one artifact, or why there is none. */
function environmentSentences(
  environment: EnvironmentLookup | undefined,
  standing: Standing | undefined,
): readonly string[] {
  if (environment === undefined) return [];
  const { name, settled } = environment;
  if (settled.failure === undefined) return standing === undefined ? [] : [standing.words];
  const last = settled.last === undefined ? [] : [`Last seen: ${describeLatestSnapshot(name, settled.last.snapshot)}`];
  return [`Environment ${name} could not be judged: ${withoutFullStop(settled.failure.message)}.`, ...last];
}

/** One artifact in the output `response`. */
function responseEntry(
  { query, fingerprint, verdict, artifact, failure, standing }: ArtifactJudgement,
  environment: EnvironmentLookup | undefined,
): Readonly<Record<string, unknown>> {
  return {
    fingerprint,
    ...(query.name === undefined ? {} : { file: query.name }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(failure === undefined ? { artifact } : { error: failure.message }),
    ...(environment === undefined ? {} : { environment: environmentEntry(environment, standing) }),
  };
}

function environmentEntry(
  { name, settled }: EnvironmentLookup,
  standing: Standing | undefined,
): Readonly<Record<string, unknown>> {
  if (settled.failure !== undefined) return { name, error: settled.failure.message };
  return { name, snapshot: settled.value.snapshot ?? null, runs: standing?.runs ?? null };
}
