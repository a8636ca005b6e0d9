import { createHash, randomUUID } from 'node:crypto';
import { conforms } from '../../../contract/check.ts';
import { type Static, Type } from '../../../contract/schema.ts';
import { type After, type Now, sleep, unixSeconds } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { DeliverySchedule } from '../../notification/delivery/delivery-schedule.ts';
import { retryDelay } from '../../notification/notification.ts';
import { WakingLoop } from '../../platform/background/waking-loop.ts';
import { concurrent, type Storage, type TransactionScope } from '../../platform/database/storage.ts';
import type { UseCaseDependencies } from '../../platform/judging/use-case-dependencies.ts';
import { LimitedLog } from '../../platform/limited-log.ts';
import type { Links } from '../../platform/links.ts';
import { toSingleLine } from '../../platform/single-line.ts';
import {
  type Answer,
  type AnswerReference,
  checkNamePrefix,
  type CheckSubject,
  type DeploymentSubject,
  type SentAnswer,
} from '../answer.ts';
import type { AnswerWriter } from '../answer-records.ts';
import { toCheckOutput } from '../check-output.ts';
import { decideDeployment, type DeploymentDecision, rejectUnjudged } from '../deployment-decision.ts';
import type { GithubApp } from '../github-app.ts';
import { findWait, judgeCommit, judgeDeployment } from '../verdict-use-cases.ts';
import { type GithubApi, GithubError } from './github-api.ts';

export interface AnswerWorkerDependencies extends Pick<UseCaseDependencies, 'judging'> {
  readonly storage: Storage;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
  readonly links: Links;
  readonly api: Pick<GithubApi, 'saveCheckRun' | 'answerDeployment'>;
  readonly app: Pick<GithubApp, 'installations'>;
}

/** Looks for due answers at least this often, in milliseconds: other processes write, too, and their claims expire. */
const lookAgainDelay = 10_000;
/** The pause after an error of the storage, in milliseconds. */
const retryDelayAfterError = 10_000;
/** When a check in progress is sent again, in seconds: after 14 days GitHub declares it stale. */
const repeatAfter = 13 * 86_400;
/** The maximum number of status reports about a deployment. GitHub takes 10, and the result of one can be lost. */
const maximumReports = 8;
/** The pause if the operator no longer gives the installation to the organization, in seconds. */
const unassignedPause = 3600;

/** How an answer remembers what was sent last. */
const sentState = Type.Object({
  digest: Type.String(),
  /** In Unix seconds. */
  at: Type.Number(),
  /** The number of status reports. */
  reports: Type.Integer(),
});

/**
 * Sends GitHub the present verdict on each check and deployment that it waits for. To send one twice does no harm, so a
 * crash may repeat an answer and loses none. Several processes may do this: each claims its answers.
 */
export class AnswerWorker {
  readonly #dependencies: AnswerWorkerDependencies;
  readonly #stopping = new AbortController();
  /** Identifies this process among those that send answers. */
  readonly #claimant = randomUUID();
  readonly #schedule = new DeliverySchedule({ total: 16, perOrganization: 4, failingPerOrganization: 4 });
  readonly #active = new Set<Promise<void>>();
  readonly #failures: LimitedLog;
  readonly #loop: WakingLoop;
  /** Whether the clock may have been set back since the due times were saved. It may have been before the start. */
  #isClockChanged = true;

  /** Starts immediately. */
  constructor(dependencies: AnswerWorkerDependencies) {
    this.#dependencies = dependencies;
    this.#failures = new LimitedLog(
      dependencies,
      (count) => `${count} more failures at GitHub were not logged separately`,
    );
    this.#loop = new WakingLoop(dependencies, {
      look: () => this.#look(),
      failure: 'what GitHub waits for could not be read',
    });
  }

  /** Waits until no request of this worker is on its way; close the API before. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await Promise.all(this.#active);
    this.#failures.stop();
  }

  /** Call it after the clock was set: recomputes what is due. */
  clockChanged(): void {
    this.#isClockChanged = true;
    this.#loop.wake();
  }

  /** Starts with due answers. Returns the time until the next look, in milliseconds. */
  async #look(): Promise<number> {
    const { storage } = this.#dependencies;
    try {
      const now = this.#time();
      if (this.#isClockChanged) {
        this.#isClockChanged = false;
        await this.#change(concurrent, (answers) => answers.rearm(now));
      }
      const limit = this.#schedule.isFull ? 0 : this.#schedule.offersPerOrganization;
      const { due, next } = await storage.read(async ({ githubAnswers }) => ({
        due: limit === 0 ? [] : await githubAnswers.listDue({ now, limit }),
        next: await githubAnswers.findNextDue(now),
      }));
      const offered = due.map((answer) => ({ ...answer, position: 0, failing: false }));
      if (!this.#stopping.signal.aborted) for (const answer of this.#schedule.take(offered)) this.#begin(answer);
      return next === undefined ? lookAgainDelay : Math.min(Math.ceil((next - now) * 1000), lookAgainDelay);
    } catch (error) {
      this.#isClockChanged = true;
      throw error;
    }
  }

  #begin(due: Parameters<DeliverySchedule['release']>[0]): void {
    const work = this.#attempt(due).finally(() => {
      this.#schedule.release(due);
      this.#active.delete(work);
      this.#loop.wake();
    });
    this.#active.add(work);
  }

  /** Never rejects. */
  async #attempt(due: AnswerReference): Promise<void> {
    const claim = { now: this.#time(), claimant: this.#claimant };
    try {
      const answer = await this.#change(due.org, (answers) => answers.claim(due, claim));
      if (answer !== undefined) await this.#carryOut(answer);
    } catch (error) {
      this.#dependencies.log.error(
        'an answer to GitHub could not be claimed, or its result could not be saved; it will be sent again',
        error,
      );
      // Prevents the same answer from being sent repeatedly while the storage cannot be written.
      await sleep(this.#dependencies, retryDelayAfterError, this.#stopping.signal).catch(() => undefined);
    }
  }

  async #carryOut(answer: Answer): Promise<void> {
    const { log } = this.#dependencies;
    const { org } = answer;
    const claimant = this.#claimant;
    const result = await this.#send(answer).catch((error: unknown) => ({ error }));
    if (this.#stopping.signal.aborted && typeof result === 'object' && 'error' in result)
      await this.#change(org, (answers) => answers.release(answer, { now: this.#time(), claimant }));
    else if (result === 'unwanted') await this.#change(org, (answers) => answers.delete(answer));
    else if (!('error' in result)) await this.#change(org, (answers) => answers.recordSent(answer, claimant, result));
    else {
      const { error } = result;
      const what = `answer ${answer.number} of ${org} to GitHub about ${answer.repository.name}`;
      const retryAt = error instanceof GithubError ? error.retryAt : undefined;
      const until = retryAt ?? this.#time() + retryDelay(answer.attempts + 1);
      if (error instanceof GithubError) this.#failures.info(toSingleLine(`${what}: ${error.message}`));
      else log.error(`${what} could not be judged; this is tried again`, error);
      await this.#change(org, (answers) => answers.recordFailure(answer, claimant, until));
    }
  }

  /** @throws GithubError; the error of judging */
  async #send(answer: Answer): Promise<SentAnswer | 'unwanted'> {
    const { app } = this.#dependencies;
    const { org, installationId, subject } = answer;
    if (app.installations.get(installationId) !== org) {
      const why = `installation ${installationId} is not given to ${org} by --github-installation`;
      throw new GithubError(why, { retryAt: this.#time() + unassignedPause });
    }
    if (subject.kind === 'check') return this.#sendCheck(answer, subject);
    return this.#sendDecision(answer, subject, await this.#decide(answer, subject));
  }

  async #sendCheck(answer: Answer, subject: CheckSubject): Promise<SentAnswer | 'unwanted'> {
    const { api, links, judging } = this.#dependencies;
    await judging.turns.next();
    const verdict = await judgeCommit(this.#dependencies, answer, subject);
    if (verdict === undefined) return 'unwanted';
    const output = toCheckOutput(verdict, links.pages);
    const [digest, previous, now] = [digestOf(output), toSentState(answer), this.#time()];
    const { changesAt } = verdict;
    const isCompleted = output.status === 'completed';
    const isSame = previous?.digest === digest;
    const toResult = (at: number): SentAnswer => ({
      sent: JSON.stringify({ digest, at, reports: 0 } satisfies Static<typeof sentState>),
      dueAt: isCompleted ? changesAt : Math.min(changesAt ?? Infinity, at + repeatAfter),
    });
    if (isSame && (isCompleted || now < previous.at + repeatAfter)) return toResult(previous.at);
    const run = { id: answer.checkRunId, name: checkNamePrefix + subject.flow, sha: subject.sha };
    return { ...toResult(now), checkRunId: await api.saveCheckRun(answer, run, output) };
  }

  /** If the deployment cannot be judged, it is rejected after the wait, so that no job waits forever. */
  async #decide(
    answer: Answer,
    subject: DeploymentSubject,
  ): Promise<DeploymentDecision & { readonly lookAt?: number }> {
    const { judging, log } = this.#dependencies;
    const now = this.#time();
    try {
      await judging.turns.next();
      const deployment = await judgeDeployment(this.#dependencies, answer, subject);
      if (deployment === undefined) {
        return rejectUnjudged('no gate has this repository. Connect it, or disable the rule for this environment.');
      }
      return { ...decideDeployment(deployment, now), lookAt: deployment.decideAt };
    } catch (error) {
      if (now < answer.requestedAt + (await findWait(this.#dependencies, answer))) throw error;
      const what = `a deployment of ${answer.repository.name} to ${subject.environment}`;
      log.error(`${what} is rejected, because of an error`, error);
      return rejectUnjudged('the service could not judge this, because of an error that its log shows.');
    }
  }

  async #sendDecision(
    answer: Answer,
    subject: DeploymentSubject,
    { lookAt, ...decision }: DeploymentDecision & { readonly lookAt?: number },
  ): Promise<SentAnswer> {
    const [digest, at] = [digestOf(decision), this.#time()];
    const { digest: previous, reports } = toSentState(answer) ?? { digest: '', reports: 0 };
    const isReport = decision.state === undefined;
    if (isReport && (digest === previous || reports >= maximumReports))
      return { sent: answer.sent ?? '', dueAt: lookAt };
    const outcome = await this.#dependencies.api.answerDeployment(answer, subject, decision);
    const sent = JSON.stringify({ digest, at, reports: reports + 1 } satisfies Static<typeof sentState>);
    return isReport && outcome === 'answered' ? { sent, dueAt: lookAt } : { sent, answeredAt: at };
  }

  /** Changes what GitHub waits for, which quotas do not limit. */
  #change<Result>(scope: TransactionScope, change: (answers: AnswerWriter) => Promise<Result>): Promise<Result> {
    const options = { mayExceedQuotas: true };
    return this.#dependencies.storage.transaction(scope, ({ githubAnswers }) => change(githubAnswers), options);
  }

  #time(): number {
    return unixSeconds(this.#dependencies.now());
  }
}

function digestOf(document: object): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('hex');
}

/** What was sent last; undefined if nothing was. */
function toSentState({ sent }: Answer): Static<typeof sentState> | undefined {
  if (sent === undefined || sent === '') return undefined;
  const state: unknown = JSON.parse(sent);
  return conforms(sentState, state) ? state : undefined;
}
