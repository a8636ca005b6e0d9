import type { RememberedAnswer, RememberedAnswerWriter, RequestKey } from '../remembered-answers.ts';
import { optional } from '../rows.ts';
import { toRememberedAnswer } from '../rows/remembered-answers.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

const statements = defineStatements('remembered_answers', {
  find: `SELECT digest, answered_at, status, body FROM remembered_answers
    WHERE org = $1 AND scope = $2 AND key = $3 AND answered_at > $4`,
  save: `INSERT INTO remembered_answers (org, scope, key, digest, answered_at, status, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (org, scope, key) DO UPDATE SET digest = excluded.digest, answered_at = excluded.answered_at,
      status = excluded.status, body = excluded.body`,
  // Transactions of other organizations delete the same answers; none waits for another.
  deleteOldest: `DELETE FROM remembered_answers WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM remembered_answers WHERE answered_at <= $1
      ORDER BY answered_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
});

/** The answers to requests with idempotency keys, in PostgreSQL. */
export class PostgresRememberedAnswerWriter implements RememberedAnswerWriter {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async find({ org, scope, key }: RequestKey, after: number): Promise<RememberedAnswer | undefined> {
    const [row] = await this.#session.query(statements.find, [org, scope, key, after]);
    return optional(row, toRememberedAnswer);
  }

  save({ org, scope, key }: RequestKey, { digest, answeredAt, status, body }: RememberedAnswer): Promise<void> {
    return this.#session.run(statements.save, [org, scope, key, digest, answeredAt, status, body]);
  }

  deleteOldest(after: number, limit: number): Promise<void> {
    return this.#session.run(statements.deleteOldest, [after, limit]);
  }
}
