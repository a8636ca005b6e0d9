import { artifactStateOf } from '../../contract/compliance.ts';
import { UserError, ExternalError, type Failure, type Problem } from '../../runtime/failure.ts';
import type { Looked } from './parse-verdict.ts';
import { artifactEvidence } from './evidence-table.ts';
import { causesOf, concludeSeveral } from './conclusion.ts';
import {
  artifactFacts,
  describeArtifact,
  environmentFacts,
  knownFingerprint,
  lastSeen,
  reasonOf,
  runsThere,
} from './artifact-facts.ts';
import { judgeLooked, wholeVerdict, type EnvironmentSighting, type Findings } from './judge-artifacts.ts';
import type { Standing } from './environment-standing.ts';
import { describeLatestSnapshot } from '../latest-snapshot.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { fact, type Evidence } from '../report.ts';
import { withoutFullStop } from '../sentence.ts';
import { withPollNotes, timeoutNotice, pollFacts, type PollTiming } from '../polling.ts';

/** All that is known when the asking is over. */
export interface Judging extends Findings {
  readonly flow: string;
  readonly waiting: PollTiming;
}

/** Puts the artifacts together: each is in the report, the worst decides. */
export function artifactResult(judging: Judging): OperationResult {
  const [first] = judging.looked;
  return first !== undefined && judging.looked.length === 1 ? oneArtifact(first, judging) : manyArtifacts(judging);
}

function oneArtifact(looked: Looked, judging: Judging): OperationResult {
  const { flow, waiting, environment } = judging;
  const { sighting } = looked;
  // With nothing to report around it, the failure is all there is to say.
  if (sighting.failure !== undefined) throw withPollNotes(sighting.failure, waiting, lastSeen(looked));
  const { artifact } = sighting.value;
  const standing = judgeLooked(looked, environment)?.standing;
  const own = [`${describeArtifact(looked)} in flow ${flow} is ${artifact.state ?? ''}`, ...reasonOf(artifact)];
  const conclusion = [
    `${own.join('. ')}.`,
    ...environmentWords(judging, standing?.words),
    ...timeoutNotice(waiting),
  ].join(' ');
  return {
    ...endingOf(judging, conclusion),
    conclusion,
    response: environment === undefined ? artifact : entryOf(looked, judging),
    fingerprint: artifact.fingerprint,
    htmlUrl: artifact.html_url,
    commits: commitsOf([looked]),
    report: {
      subject: describeArtifact(looked),
      evidence: evidenceOf(judging),
      facts: [
        ...artifactFacts(artifact, flow),
        ...environmentFacts(environment),
        ...(environment === undefined ? [] : fact('Runs there', runsThere(standing))),
        ...pollFacts(waiting),
      ],
      tables: [],
    },
  };
}

function manyArtifacts(judging: Judging): OperationResult {
  const { looked, flow, environment, waiting } = judging;
  const conclusion = [
    concludeSeveral(judging, flow),
    ...environmentWords(judging, undefined),
    ...timeoutNotice(waiting),
  ].join(' ');
  return {
    ...endingOf(judging, conclusion),
    conclusion,
    response: looked.map((one) => entryOf(one, judging)),
    fingerprint: looked.map((one) => knownFingerprint(one)).join('\n'),
    commits: commitsOf(looked),
    report: {
      subject: `${looked.length} artifacts of flow ${flow}`,
      evidence: evidenceOf(judging),
      facts: [...fact('Flow', flow), ...environmentFacts(environment), ...pollFacts(waiting)],
      tables: [],
      copies: looked.map((one) => ({ label: one.name ?? '', text: knownFingerprint(one) })),
    },
  };
}

/** The evidence, and whether the waiting ended before it was final. */
function evidenceOf(judging: Judging): Evidence {
  const evidence = artifactEvidence(judging);
  return { ...evidence, notes: [...evidence.notes, ...timeoutNotice(judging.waiting)] };
}

/** The outcome of the whole, and the word for it. */
function endingOf(judging: Judging, conclusion: string): OperationOutcome & Pick<OperationResult, 'state'> {
  const verdict = wholeVerdict(judging);
  if (verdict !== undefined) return { outcome: verdict, state: artifactStateOf(verdict) };
  return { outcome: 'error', failure: together(judging, conclusion), state: undefined };
}

/** The one failure as it is; of several, one that says what the conclusion does, with the remedy of each. */
function together({ looked, environment }: Judging, conclusion: string): Failure {
  const there = environment?.sighting.failure;
  const failures = [...causesOf(looked).map(({ failure }) => failure), ...(there === undefined ? [] : [there])];
  const [first, ...others] = failures;
  if (first !== undefined && others.length === 0) return first;
  const text = { what: conclusion, remedy: [...new Set(failures.map(({ remedy }) => remedy))].join('\n') };
  if (failures.some(({ kind }) => kind === 'external')) return new ExternalError(text);
  return new UserError({ input: 'fingerprint', ...text } satisfies Problem);
}

/** The commits that the artifacts are of, once each; undefined where the service names none. */
function commitsOf(looked: readonly Looked[]): readonly string[] | undefined {
  const commits = looked.flatMap(({ sighting }) => {
    const artifact = sighting.value?.artifact;
    const commit = artifact?.git_commit ?? artifact?.git_commit_info?.sha1 ?? '';
    return commit === '' ? [] : [commit];
  });
  return commits.length === 0 ? undefined : [...new Set(commits)];
}

/** What is to be said of the environment, as sentences: what it says of the one artifact, or why it could not be asked. */
function environmentWords({ environment }: Judging, standing: string | undefined): readonly string[] {
  if (environment === undefined) return [];
  const { name, sighting } = environment;
  if (sighting.failure === undefined) return standing === undefined ? [] : [standing];
  const last =
    sighting.last === undefined ? [] : [`Seen before that: ${describeLatestSnapshot(name, sighting.last.snapshot)}`];
  return [`Environment ${name} could not be judged: ${withoutFullStop(sighting.failure.message)}.`, ...last];
}

/** One artifact as the output `response` has it. */
function entryOf(one: Looked, { environment }: Judging): Readonly<Record<string, unknown>> {
  const { failure, value } = one.sighting;
  const judged = judgeLooked(one, environment);
  return {
    fingerprint: knownFingerprint(one),
    ...(one.name === undefined ? {} : { file: one.name }),
    ...(judged === undefined ? {} : { verdict: judged.verdict }),
    ...(failure === undefined ? { artifact: value.artifact } : { error: failure.message }),
    ...(environment === undefined ? {} : { environment: environmentEntry(environment, judged?.standing) }),
  };
}

function environmentEntry(
  { name, sighting }: EnvironmentSighting,
  standing: Standing | undefined,
): Readonly<Record<string, unknown>> {
  if (sighting.failure !== undefined) return { name, error: sighting.failure.message };
  return { name, snapshot: sighting.value.snapshot ?? null, runs: standing?.runs ?? null };
}
