import type { ComplianceClient } from '../client/client.ts';
import { missingResource } from '../client/failure-kinds.ts';
import { toArtifactState, type Verdict, worstVerdict } from '../contract/compliance.ts';
import type { Resource } from '../contract/not-found.ts';
import type { Reason } from '../contract/reason.ts';
import { maximumConnections } from '../http/connection-settings.ts';
import { mapConcurrently } from '../runtime/concurrent.ts';
import { ExternalError, Failure, UserError } from '../runtime/failure.ts';
import type { OperationContext, OperationOutcome, OperationResult } from './operation.ts';
import {
  describePending,
  mayRecover,
  type Poll,
  type PollTiming,
  pollUntilFinal,
  settle,
  type Settled,
  timeoutNotice,
  withPollNotes,
} from './polling.ts';
import { concludeWithReasons, mergeReasons, summarizeReasons } from './reasons.ts';
import { abbreviate } from './report.ts';

/** An answer of the service, judged. */
export interface JudgedAnswer {
  readonly verdict: Verdict;
  /** The worst first; empty if it is compliant. */
  readonly reasons: readonly Reason[];
  /** True if the service has no record of it, which its only reason says. */
  readonly isUnknown?: boolean;
}

/**
 * Judges something. If the service has no record of it, that is a verdict, too: a later report can mend it.
 *
 * @param unknown what the service then says is missing, by its name, and the reason to give
 * @throws what `judge` throws otherwise
 */
export async function judgeKnown<Answer extends JudgedAnswer>(
  judge: () => Promise<Answer>,
  unknown: Pick<Reason, 'about' | 'value'> & { readonly resource: Resource; readonly named: string },
): Promise<Answer | JudgedAnswer> {
  const { resource, named, ...reason } = unknown;
  try {
    return await judge();
  } catch (error) {
    if (!(error instanceof Failure) || missingResource(error, named) !== resource) throw error;
    return { verdict: 'incomplete', reasons: [{ state: 'missing', ...reason }], isUnknown: true };
  }
}

/** The names of something that is judged: an artifact or a trail. */
export interface SubjectNames {
  /** `Artifact dist/web.tgz 0123456789ab`. */
  readonly title: string;
  /** What its reasons call it: `dist/web.tgz`. */
  readonly name: string;
  /** What distinguishes it from others of the same name: the fingerprint of an artifact. */
  readonly digits: string;
  /** The file that an artifact's fingerprint was computed from; undefined if the fingerprint was given. */
  readonly file?: string | undefined;
}

/** Something that is judged, and the answer of the latest poll. */
export interface JudgedSubject<Answer extends JudgedAnswer = JudgedAnswer> extends SubjectNames {
  /** What the report calls it: its name, with its first digits if several have the same name. */
  readonly label: string;
  readonly settled: Settled<Answer>;
}

/** The verdict of one poll on everything that a step judges. */
export interface JudgedSubjects<Answer extends JudgedAnswer = JudgedAnswer> {
  /** In the order of the queries; at least one. */
  readonly subjects: readonly JudgedSubject<Answer>[];
  /** The only subject; undefined if there are several. */
  readonly only: JudgedSubject<Answer> | undefined;
  /** The worst verdict of all; undefined if something that could not be judged may be worse. */
  readonly verdict: Verdict | undefined;
  readonly timing: PollTiming;
}

interface Judging<Query, Answer extends JudgedAnswer> {
  readonly queries: readonly Query[];
  /** @throws Failure if there is no answer, or none that can be relied on */
  readonly judge: (query: Query, client: ComplianceClient) => Promise<Answer>;
  /** @param answer undefined if there is none */
  readonly toNames: (query: Query, answer: Answer | undefined) => SubjectNames;
  readonly waitSeconds: number;
  /** The title of the group in the log. */
  readonly logTitle: string;
}

/**
 * Judges all subjects, and does so again until no later poll can change the verdict or the time is up. All of them are
 * asked for again in every poll, because what was compliant minutes ago may have non-compliant evidence now.
 */
export async function judgeSubjects<Query, Answer extends JudgedAnswer>(
  { queries, judge, toNames, waitSeconds, logTitle }: Judging<Query, Answer>,
  context: OperationContext,
): Promise<JudgedSubjects<Answer>> {
  const { log, signal } = context.call;
  type Subjects = readonly JudgedSubject<Answer>[];
  const fetch = (client: ComplianceClient, previous: Subjects | undefined): Promise<Subjects> =>
    mapConcurrently([...queries.entries()], maximumConnections, async ([index, query]) => {
      const before = previous?.[index]?.settled;
      const settled = await settle(() => judge(query, client), before, signal);
      const names = toNames(query, settled.value ?? (settled.failure === undefined ? undefined : settled.last));
      const { value } = settled;
      if (value !== undefined && value.verdict !== before?.value?.verdict) {
        log.info(`${names.title}: ${toArtifactState(value.verdict)}`);
      }
      return { ...names, label: names.name, settled };
    });
  const poll: Poll<Subjects> = { fetch, pending: listPending, failures: listFailures };
  const { answer, timing } = await log.group(logTitle, () => pollUntilFinal(poll, waitSeconds, context));
  const waited = timing.timedOut ? answer.map((subject) => withWaitingTime(subject, timing)) : answer;
  const subjects = withDistinctLabels(waited);
  return { subjects, only: subjects.length === 1 ? subjects[0] : undefined, verdict: decide(answer), timing };
}

function listFailures(subjects: readonly JudgedSubject[]): readonly Failure[] {
  return subjects.flatMap(({ settled }) => settled.failure ?? []);
}

/** No verdict is worse than non-compliant, so subjects that could not be judged cannot change it. */
function decide(subjects: readonly JudgedSubject[]): Verdict | undefined {
  const worst = worstVerdict(subjects.flatMap(({ settled }) => settled.value?.verdict ?? []));
  return worst === 'non-compliant' || listFailures(subjects).length === 0 ? worst : undefined;
}

/** What a final verdict still waits for, a line each; empty if no later poll can change the verdict. */
function listPending(subjects: readonly JudgedSubject[]): readonly string[] {
  const verdict = decide(subjects);
  if (verdict === 'compliant' || verdict === 'non-compliant') return [];
  if (!listFailures(subjects).every(mayRecover)) return [];
  return subjects.flatMap(({ title, name, settled: { value, failure } }) => {
    if (failure !== undefined) return [`${title} ${describePending(failure)}`];
    return value.verdict === 'incomplete' ? [`${title} is ${describeAnswer(value, { name })}`] : [];
  });
}

function describeAnswer({ verdict, reasons }: JudgedAnswer, { name }: Pick<SubjectNames, 'name'>): string {
  return summarizeReasons(toArtifactState(verdict), reasons, name);
}

/** What the service still has no record of: `not reported to flow web within 60 s`. */
function withWaitingTime<Answer extends JudgedAnswer>(
  subject: JudgedSubject<Answer>,
  { milliseconds }: PollTiming,
): JudgedSubject<Answer> {
  const { value } = subject.settled;
  if (value?.isUnknown !== true) return subject;
  const within = `within ${Math.round(milliseconds / 1000)} s`;
  const reasons = value.reasons.map((reason) => ({ ...reason, value: `${reason.value} ${within}` }));
  return { ...subject, settled: { value: { ...value, reasons } } };
}

function withDistinctLabels<Answer extends JudgedAnswer>(
  subjects: readonly JudgedSubject<Answer>[],
): readonly JudgedSubject<Answer>[] {
  const names = subjects.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return subjects.map((subject) => {
    const { name, digits } = subject;
    return repeated.has(name) ? { ...subject, label: `${name} ${abbreviate(digits)}` } : subject;
  });
}

/** The order that a reader needs: non-compliant, not judged, incomplete, compliant. */
const worstFirstOrder: readonly (Verdict | undefined)[] = ['non-compliant', undefined, 'incomplete', 'compliant'];

/** The subjects in the order that a reader needs. */
export function worstFirst<Answer extends JudgedAnswer>(
  subjects: readonly JudgedSubject<Answer>[],
): readonly JudgedSubject<Answer>[] {
  const rank = ({ settled }: JudgedSubject): number => worstFirstOrder.indexOf(settled.value?.verdict);
  return subjects.toSorted((one, other) => rank(one) - rank(other));
}

/** The reasons for the verdict, the worst first; what could not be judged is among them. */
function listReasons({ subjects, only }: JudgedSubjects): readonly Reason[] {
  if (only?.settled.value !== undefined) return only.settled.value.reasons;
  return mergeReasons(worstFirst(subjects).map((subject) => ({ ...subject, reasons: explainSubject(subject) })));
}

function explainSubject({ name, settled }: JudgedSubject): readonly Reason[] {
  if (settled.failure === undefined) return settled.value.reasons;
  const { failure, last } = settled;
  const before = last === undefined ? '' : ` (last verdict seen: ${describeAnswer(last, { name })})`;
  return [{ state: 'incomplete', about: name, value: `could not be judged: ${failure.message}${before}` }];
}

/** What all results about judged subjects have in common. */
type JudgementResult = OperationOutcome &
  Pick<OperationResult, 'state' | 'conclusion'> & { readonly reasons: readonly Reason[] };

/**
 * The outcome and the conclusion: the worst verdict decides, and the reasons say why.
 *
 * @param by the end of a sentence: `in flow web`
 * @param info why the only subject is compliant, in the service's words, as sentences
 * @throws Failure if there is only one subject and it could not be judged, because there is nothing else to report
 */
export function toJudgementResult(judgement: JudgedSubjects, by: string, info = ''): JudgementResult {
  const { subjects, only, verdict, timing } = judgement;
  if (only?.settled.failure !== undefined) {
    const { failure, last } = only.settled;
    throw withPollNotes(failure, timing, last === undefined ? undefined : describeAnswer(last, only));
  }
  const reasons = listReasons(judgement);
  const more = [...(verdict === 'compliant' && info !== '' ? [info.trim()] : []), ...timeoutNotice(timing)];
  const state = verdict === undefined ? undefined : toArtifactState(verdict);
  const what = only === undefined ? countVerdicts(subjects) : `${only.title} is ${state ?? ''}`;
  const conclusion = concludeWithReasons(`${what} ${by}`, reasons, { subject: only?.name, more });
  if (verdict !== undefined) return { outcome: verdict, state, conclusion, reasons };
  return { outcome: 'error', failure: combineFailures(listFailures(subjects), conclusion), conclusion, reasons };
}

/** A single failure as it is; several as one, with the conclusion as its message and the remedy of each. */
function combineFailures(failures: readonly Failure[], conclusion: string): Failure {
  const [first, ...others] = failures;
  if (first !== undefined && others.length === 0) return first;
  const text = { what: conclusion, remedy: [...new Set(failures.map(({ remedy }) => remedy))].join('\n') };
  if (failures.some(({ kind }) => kind === 'external')) return new ExternalError(text);
  return new UserError({ input: 'fingerprint', ...text });
}

/** `2 of 3 artifacts are not compliant and 1 could not be judged`; a step judges only one trail. */
function countVerdicts(subjects: readonly JudgedSubject[]): string {
  const failed = listFailures(subjects).length;
  const red = subjects.filter(({ settled: { value } }) => value !== undefined && value.verdict !== 'compliant').length;
  const all = `${subjects.length} artifacts`;
  if (failed + red === 0) return `All ${all} are COMPLIANT`;
  const compliance = `${red} of ${all} ${red === 1 ? 'is' : 'are'} not compliant`;
  if (failed === 0) return compliance;
  return red === 0 ? `${failed} of ${all} could not be judged` : `${compliance} and ${failed} could not be judged`;
}
