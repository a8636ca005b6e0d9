import { defineStatements, either, Repository } from '../database/database.ts';
import { number, text, toRecord } from '../database/rows.ts';

/** Identifies a request: keys are unique within an endpoint of an organization, and contain their senders. */
export interface RequestKey {
  readonly org: string;
  /** The endpoint. */
  readonly scope: string;
  /** The idempotency key. */
  readonly key: string;
}

/** The idempotency key of the request that made a record. */
export interface RecordKey {
  readonly key: string;
  /** The digest of the request, which tells a repeated request from another one with the same key. */
  readonly digest: string;
}

/** A success response. */
export interface Answer {
  readonly status: number;
  /** As JSON. */
  readonly body: string;
}

export interface RememberedAnswer extends Answer {
  readonly digest: string;
  /** In Unix seconds. */
  readonly answeredAt: number;
}

const statements = defineStatements('remembered_answers', {
  find: `SELECT digest, answered_at, status, body FROM remembered_answers
    WHERE org = $1 AND scope = $2 AND key = $3 AND answered_at > $4`,
  save: `INSERT INTO remembered_answers (org, scope, key, digest, answered_at, status, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (org, scope, key) DO UPDATE SET digest = excluded.digest, answered_at = excluded.answered_at,
      status = excluded.status, body = excluded.body`,
  // Transactions of other organizations delete the same answers; none waits for another.
  deleteOldest: `WITH oldest AS MATERIALIZED (
      SELECT org, scope, key FROM remembered_answers WHERE answered_at <= $1
      ORDER BY answered_at LIMIT $2 ${either('', 'FOR UPDATE SKIP LOCKED')}
    ) DELETE FROM remembered_answers WHERE (org, scope, key) IN (SELECT org, scope, key FROM oldest)`,
});

/** The answers to requests that do not append a record, which could hold the key itself. */
export class RememberedAnswerWriter extends Repository {
  /** Finds an answer that was given after this time. */
  find({ org, scope, key }: RequestKey, after: number): Promise<RememberedAnswer | undefined> {
    return this.queryFirst(statements.find, [org, scope, key, after], toRememberedAnswer);
  }

  /** Replaces an earlier answer. The organization must exist. */
  save({ org, scope, key }: RequestKey, { digest, answeredAt, status, body }: RememberedAnswer): Promise<void> {
    return this.run(statements.save, [org, scope, key, digest, answeredAt, status, body]);
  }

  /** Deletes the oldest answers that were not given after this time, at most as many as the limit. */
  deleteOldest(after: number, limit: number): Promise<void> {
    return this.run(statements.deleteOldest, [after, limit]);
  }
}

const toRememberedAnswer = toRecord<RememberedAnswer>({ digest: text, answeredAt: number, status: number, body: text });
