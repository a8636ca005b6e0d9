import { defineStatements, Repository } from '../platform/database/database.ts';
import { number, optionalNumber, optionalText, type Row, text, toRecord } from '../platform/database/rows.ts';
import type { ChangedSubject } from '../trail/trail.ts';
import { trailCommit } from '../trail/trail-records.ts';
import type { Answer, AnswerReference, AnswerSubject, GithubRepository, SentAnswer } from './answer.ts';

/** Something that GitHub asks for. */
export interface RequestedAnswer extends Pick<Answer, 'org' | 'installationId' | 'repository' | 'subject'> {
  /** Whether everything is to be sent again, although nothing may have changed. */
  readonly again: boolean;
}

export interface DueAnswerQuery {
  readonly now: number;
  /** The maximum number of answers of each organization. */
  readonly limit: number;
}

export interface AnswerClaim {
  readonly now: number;
  /** Identifies the process among those that send answers. */
  readonly claimant: string;
}

/** How long a claim lasts that is not ended, in seconds: longer than an attempt may take. */
const claimSeconds = 120;
/** The longest wait of a check in progress, in seconds. One that waits for the end of an override may be judged early. */
const longestWait = 14 * 86_400;

const columns = `org, number, installation_id, repository_id, repository, sha, flow, run_id, github_environment, deployment_id,
  requested_at, requests, attempts, check_run_id, sent`;

/** When an answer is due: a claim without a result ends at some time. */
const dueTime = 'coalesce(claimed_until, due_at)';
/** What waits longer than it can, for a time and the latest ends of claims and of waits after it. */
const isOverdue = `${dueTime} > $1
  AND (claimed_until > $2 OR due_at > $3 OR (due_at > $1 AND (attempts > 0 OR flow = '')))`;

const isAnswer = 'org = $1 AND number = $2';
const isClaimed = `${isAnswer} AND claimed_by = $3`;
const endClaim = 'claimed_by = NULL, claimed_until = NULL';
/** Whether GitHub has not asked anew since the answer was claimed. */
const isUnchanged = 'requests = $4';

/** Makes answers due now. Failed ones keep the time of their next attempt, which GitHub may have demanded. */
const setDue = 'UPDATE github_answers SET due_at = CASE WHEN attempts > 0 THEN coalesce(due_at, $2) ELSE $2 END';

/** The flow and the commit of trails `t`. */
const commits = `(flow, sha) IN (SELECT t.flow, ${trailCommit} FROM trails t`;

const statements = defineStatements('github_answers', {
  listDue: `SELECT org, number FROM (
      SELECT org, number, ${dueTime} AS due, row_number() OVER (PARTITION BY org ORDER BY ${dueTime}, number) AS place
      FROM github_answers WHERE ${dueTime} <= $1
    ) AS waiting WHERE place <= $2 ORDER BY due, org, number`,
  findNextDue: `SELECT min(${dueTime}) AS due_at FROM github_answers WHERE ${dueTime} > $1`,
  find: `SELECT ${columns} FROM github_answers WHERE ${isAnswer}`,

  request: `INSERT INTO github_answers (org, number, installation_id, repository_id, repository, sha, flow, run_id,
      github_environment, deployment_id, requested_at, due_at)
    VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM github_answers WHERE org = $1),
      $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
    ON CONFLICT (org, repository_id, sha, flow, run_id, github_environment) DO UPDATE SET
      installation_id = excluded.installation_id, repository = excluded.repository,
      deployment_id = excluded.deployment_id, requested_at = excluded.requested_at, due_at = excluded.due_at,
      attempts = 0, answered_at = NULL,
      requests = github_answers.requests + CASE WHEN $11 THEN 1 ELSE 0 END,
      sent = CASE WHEN $11 THEN NULL ELSE github_answers.sent END
    WHERE github_answers.flow <> '' OR excluded.deployment_id > github_answers.deployment_id`,
  rename: `UPDATE github_answers SET repository = $3 WHERE org = $1 AND repository_id = $2 AND repository <> $3`,
  deleteOld: 'DELETE FROM github_answers WHERE org = $1 AND requested_at < $2',
  deleteOfFlow: 'DELETE FROM github_answers WHERE org = $1 AND flow = $2',
  resume: `UPDATE github_answers SET due_at = $2, attempts = 0
    WHERE org = $1 AND installation_id = $3 AND attempts > 0 AND due_at IS NOT NULL`,
  hasAny: 'SELECT 1 FROM github_answers WHERE org = $1 LIMIT 1',
  setArtifactDue: `${setDue} WHERE org = $1 AND ${commits} JOIN artifacts a USING (org, flow)
    WHERE a.org = $1 AND a.fingerprint = $3 AND t.name = a.trail)`,
  setTrailDue: `${setDue} WHERE org = $1 AND ${commits} WHERE t.org = $1 AND t.flow = $3 AND t.name = $4)`,
  setFlowDue: `${setDue} WHERE org = $1 AND flow = $3`,
  setChecksDue: `${setDue} WHERE org = $1 AND flow <> ''`,
  setDeploymentsDue: `${setDue} WHERE org = $1 AND flow = '' AND answered_at IS NULL`,

  claim: `UPDATE github_answers SET claimed_by = $5, claimed_until = $4, due_at = NULL
    WHERE org = $1 AND number = $2 AND ${dueTime} <= $3 RETURNING ${columns}`,
  release: `UPDATE github_answers SET ${endClaim}, due_at = coalesce(due_at, $4) WHERE ${isClaimed}`,
  recordSent: `UPDATE github_answers SET ${endClaim}, attempts = 0,
      check_run_id = coalesce($6, check_run_id),
      sent = CASE WHEN ${isUnchanged} THEN $5 ELSE sent END,
      answered_at = CASE WHEN ${isUnchanged} THEN $7::double precision ELSE answered_at END,
      due_at = CASE WHEN ${isUnchanged} AND $7::double precision IS NOT NULL THEN NULL ELSE coalesce(due_at, $8) END
    WHERE ${isClaimed}`,
  recordFailure: `UPDATE github_answers SET ${endClaim}, attempts = attempts + 1,
      due_at = CASE WHEN ${isUnchanged} THEN $5 ELSE coalesce(due_at, $5) END
    WHERE ${isClaimed}`,
  delete: `DELETE FROM github_answers WHERE ${isAnswer} AND due_at IS NULL`,
  rearm: `UPDATE github_answers SET ${endClaim}, due_at = $1 WHERE ${isOverdue}`,
});

/** Reads what GitHub waits for. */
export class AnswerReader extends Repository {
  /** The answers that are due, longest waiting first. */
  listDue({ now, limit }: DueAnswerQuery): Promise<readonly AnswerReference[]> {
    return this.queryAll(statements.listDue, [now, limit], toReference);
  }

  /** When the next answer after a time becomes due; undefined if none does. */
  async findNextDue(after: number): Promise<number | undefined> {
    const [row = {}] = await this.query(statements.findNextDue, [after]);
    return optionalNumber(row, 'due_at');
  }

  find({ org, number: wanted }: AnswerReference): Promise<Answer | undefined> {
    return this.queryFirst(statements.find, [org, wanted], toAnswer);
  }
}

export class AnswerWriter extends AnswerReader {
  /**
   * Notes that GitHub asks for an answer; it is due immediately. A deployment that was asked for already is not changed,
   * because GitHub may send an event again. The organization must exist.
   */
  request({ org, installationId, repository, subject, again }: RequestedAnswer, at: number): Promise<void> {
    const { flow, runId, environment, deploymentId } =
      subject.kind === 'check'
        ? { flow: subject.flow, runId: 0, environment: '', deploymentId: 0 }
        : { flow: '', ...subject };
    return this.run(statements.request, [
      ...[org, installationId, repository.id, repository.name, subject.sha, flow, runId, environment, deploymentId, at],
      again || subject.kind === 'deployment',
    ]);
  }

  /** Notes the present name of a repository. */
  rename(org: string, { id, name }: GithubRepository): Promise<void> {
    return this.run(statements.rename, [org, id, name]);
  }

  /** Deletes what GitHub asked for before a time. */
  deleteOld(org: string, before: number): Promise<void> {
    return this.run(statements.deleteOld, [org, before]);
  }

  deleteOfFlow(org: string, flow: string): Promise<void> {
    return this.run(statements.deleteOfFlow, [org, flow]);
  }

  /** Lets the answers of an installation be tried again that failed. */
  resume(org: string, installationId: number, at: number): Promise<void> {
    return this.run(statements.resume, [org, at, installationId]);
  }

  /**
   * Makes due what a change may affect: the checks of its trails, and all deployments that are not decided yet. Call it in
   * the transaction that makes the change.
   */
  async noteChange(changed: ChangedSubject, at: number): Promise<void> {
    const { org } = changed;
    if ((await this.query(statements.hasAny, [org])).length === 0) return;
    await Promise.all([this.#setChecksDue(changed, at), this.noteRuleChange(org, at)]);
  }

  #setChecksDue(changed: ChangedSubject, at: number): Promise<void> {
    const { org } = changed;
    const { setArtifactDue, setTrailDue, setFlowDue, setChecksDue } = statements;
    if ('fingerprint' in changed) return this.run(setArtifactDue, [org, at, changed.fingerprint]);
    if (changed.flow === undefined) return this.run(setChecksDue, [org, at]);
    const { flow, trail } = changed;
    return trail === undefined ? this.run(setFlowDue, [org, at, flow]) : this.run(setTrailDue, [org, at, flow, trail]);
  }

  /** Makes all deployments due that are not decided yet, because what environments are judged by has changed. */
  noteRuleChange(org: string, at: number): Promise<void> {
    return this.run(statements.setDeploymentsDue, [org, at]);
  }

  /** Claims an answer for a process; undefined if it is not due, or was claimed by another. */
  claim({ org, number: wanted }: AnswerReference, { now, claimant }: AnswerClaim): Promise<Answer | undefined> {
    return this.queryFirst(statements.claim, [org, wanted, now, now + claimSeconds, claimant], toAnswer);
  }

  /** Ends a claim without a result. */
  release({ org, number: wanted }: AnswerReference, { now, claimant }: AnswerClaim): Promise<void> {
    return this.run(statements.release, [org, wanted, claimant, now]);
  }

  /** Records what was sent, unless another process has claimed the answer since. Changes in the meantime stay due. */
  recordSent(
    { org, number: wanted, requests }: Answer,
    claimant: string,
    { sent, checkRunId, answeredAt, dueAt }: SentAnswer,
  ): Promise<void> {
    const values = [sent, checkRunId ?? null, answeredAt ?? null, dueAt ?? null];
    return this.run(statements.recordSent, [org, wanted, claimant, requests, ...values]);
  }

  /** Records a failed attempt, unless another process has claimed the answer since. It is tried again at `until`. */
  recordFailure({ org, number: wanted, requests }: Answer, claimant: string, until: number): Promise<void> {
    return this.run(statements.recordFailure, [org, wanted, claimant, requests, until]);
  }

  /**
   * Makes answers of all organizations due that wait longer than they should, because the clock was set back. Allows the
   * scope `concurrent`.
   */
  rearm(now: number): Promise<void> {
    // The latest times at which claims and waits that begin now can end: clocks of processes differ.
    return this.run(statements.rearm, [now, now + 2 * claimSeconds, now + longestWait]);
  }

  /** Deletes an answer, unless GitHub has asked again since it was claimed. */
  delete({ org, number: unwanted }: AnswerReference): Promise<void> {
    return this.run(statements.delete, [org, unwanted]);
  }
}

const toReference = toRecord<AnswerReference>({ org: text, number });

const toAnswer = toRecord<Answer>({
  ...{ org: text, number, installationId: number, repository: toRepository, subject: toSubject, requestedAt: number },
  ...{ requests: number, attempts: number, checkRunId: optionalNumber, sent: optionalText },
});

function toRepository(row: Row): GithubRepository {
  return { id: text(row, 'repository_id'), name: text(row, 'repository') };
}

function toSubject(row: Row): AnswerSubject {
  const flow = text(row, 'flow');
  const sha = text(row, 'sha');
  if (flow !== '') return { kind: 'check', sha, flow };
  return {
    kind: 'deployment',
    sha,
    runId: number(row, 'run_id'),
    environment: text(row, 'github_environment'),
    deploymentId: number(row, 'deployment_id'),
  };
}
