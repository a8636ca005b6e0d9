import { artifactStateOf } from '../contract/compliance.ts';
import { MistakeError, TroubleError, type Failure, type Problem } from '../runtime/failure.ts';
import type { Looked } from './artifact-answer.ts';
import {
  artifactFacts,
  artifactTable,
  describeArtifact,
  environmentFacts,
  evidenceTables,
  fingerprintOf,
  reasonOf,
  runsThere,
  stateWords,
} from './artifact-report.ts';
import { failuresOf, judgeLooked, wholeVerdict, type EnvironmentSighting, type Findings } from './artifact-verdict.ts';
import type { Standing } from './environment-gate.ts';
import { wordsOfLatest } from './latest-snapshot.ts';
import type { Ending, OperationResult } from './operation.ts';
import { fact } from './report.ts';
import { failureAfterWaiting, timeUpWords, waitingFacts, type Waiting } from './waiting.ts';

/** All that is known when the asking is over. */
export interface Judging extends Findings {
  readonly flow: string;
  readonly waiting: Waiting;
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
  if (sighting.failure !== undefined) throw failureAfterWaiting(sighting.failure, waiting, lastSeen(looked));
  const { artifact } = sighting.value;
  const standing = judgeLooked(looked, environment)?.standing;
  const own = [`${describeArtifact(looked)} in flow ${flow} is ${artifact.state ?? ''}`, ...reasonOf(artifact)];
  return {
    ...endingOf(judging),
    conclusion: [`${own.join('. ')}.`, ...environmentWords(judging, standing?.words), ...timeUpWords(waiting)].join(
      ' ',
    ),
    response: environment === undefined ? artifact : entryOf(looked, judging),
    fingerprint: artifact.fingerprint,
    htmlUrl: artifact.html_url,
    report: {
      subject: describeArtifact(looked),
      facts: [
        ...artifactFacts(artifact, flow),
        ...environmentFacts(environment),
        ...(environment === undefined ? [] : fact('Runs there', runsThere(standing))),
        ...waitingFacts(waiting),
      ],
      tables: evidenceTables(artifact),
    },
  };
}

function manyArtifacts(judging: Judging): OperationResult {
  const { looked, flow, environment, waiting } = judging;
  return {
    ...endingOf(judging),
    conclusion: [conclusionOf(judging), ...environmentWords(judging, undefined), ...timeUpWords(waiting)].join(' '),
    response: looked.map((one) => entryOf(one, judging)),
    fingerprint: looked.map((one) => fingerprintOf(one)).join('\n'),
    report: {
      subject: `${looked.length} artifacts of flow ${flow}`,
      facts: [...fact('Flow', flow), ...environmentFacts(environment), ...waitingFacts(waiting)],
      tables: [artifactTable(looked, environment)],
    },
  };
}

/** The outcome of the whole, and the word for it. */
function endingOf(judging: Judging): Ending & Pick<OperationResult, 'state'> {
  const verdict = wholeVerdict(judging);
  if (verdict !== undefined) return { outcome: verdict, state: artifactStateOf(verdict) };
  return { outcome: 'error', failure: together(failuresOf(judging)), state: undefined };
}

function together(failures: readonly Failure[]): Failure {
  const [first, ...others] = failures;
  if (first !== undefined && others.length === 0) return first;
  const text = {
    what: failures.map((failure) => failure.message).join('\n'),
    remedy: [...new Set(failures.map((failure) => failure.remedy))].join('\n'),
  };
  if (failures.some((failure) => failure.kind === 'trouble')) return new TroubleError(text);
  return new MistakeError({ input: 'fingerprint', ...text } satisfies Problem);
}

function conclusionOf({ looked, flow, environment }: Judging): string {
  const bad = looked.filter((one) => judgeLooked(one, environment)?.verdict !== 'compliant');
  if (bad.length === 0) return `All ${looked.length} artifacts in flow ${flow} are COMPLIANT.`;
  const details = bad.map((one) => badWords(one, environment));
  return `${bad.length} of ${looked.length} artifacts in flow ${flow} are not compliant: ${details.join('; ')}.`;
}

function badWords(one: Looked, environment: EnvironmentSighting | undefined): string {
  const { failure, value } = one.sighting;
  if (failure !== undefined) {
    const last = lastSeen(one);
    return `${describeArtifact(one)} could not be judged${last === undefined ? '' : ` (the last verdict that was seen: ${last})`}`;
  }
  const standing = judgeLooked(one, environment)?.standing;
  const there =
    standing?.verdict === undefined || standing.verdict === 'compliant' ? '' : `, and ${within(standing.words)}`;
  return `${describeArtifact(one)} is ${stateWords(value.artifact)}${there}`;
}

/** What stood in the last answer before the failure. */
function lastSeen({ sighting }: Looked): string | undefined {
  return sighting.failure === undefined || sighting.last === undefined ? undefined : stateWords(sighting.last.artifact);
}

/** What is to be said of the environment, as sentences: what it says of the one artifact, or why it could not be asked. */
function environmentWords({ environment }: Judging, standing: string | undefined): readonly string[] {
  if (environment === undefined) return [];
  const { name, sighting } = environment;
  if (sighting.failure === undefined) return standing === undefined ? [] : [standing];
  const last = sighting.last === undefined ? [] : [`Seen before that: ${wordsOfLatest(name, sighting.last.snapshot)}`];
  return [`Environment ${name} could not be judged: ${withoutStop(sighting.failure.message)}.`, ...last];
}

/** A sentence as it stands within another one. */
function within(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + withoutStop(sentence.slice(1));
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/u, '');
}

/** One artifact as the output `response` has it. */
function entryOf(one: Looked, { environment }: Judging): Readonly<Record<string, unknown>> {
  const { failure, value } = one.sighting;
  const judged = judgeLooked(one, environment);
  return {
    fingerprint: fingerprintOf(one),
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
