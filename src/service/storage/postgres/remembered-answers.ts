import type { RememberedAnswer, RememberedAnswerWriter, RequestKey } from '../remembered-answers.ts';
import { optional } from '../rows.ts';
import { toRememberedAnswer } from '../rows/remembered-answers.ts';
import { KnownReads, toKey } from './known-reads.ts';
import type { WritingSession } from './session.ts';
import { toColumns, unnestValues } from './shared-statements.ts';
import { defineStatements } from './statements.ts';

const savedColumns = ['org', 'scope', 'key', 'digest', 'answered_at', 'status', 'body'];

const statements = defineStatements('remembered_answers', {
  find: `SELECT l.position, a.digest, a.answered_at, a.status, a.body FROM ${unnestValues('org', 'scope', 'key')}
    CROSS JOIN LATERAL (
      SELECT digest, answered_at, status, body FROM remembered_answers
      WHERE org = l.org AND scope = l.scope AND key = l.key LIMIT 1
    ) a`,
  save: `INSERT INTO remembered_answers (${savedColumns.join(', ')})
    SELECT l.org, l.scope, l.key, l.digest, l.answered_at::double precision, l.status::integer, l.body
    FROM ${unnestValues(...savedColumns)}
    ON CONFLICT (org, scope, key) DO UPDATE SET digest = excluded.digest, answered_at = excluded.answered_at,
      status = excluded.status, body = excluded.body`,
  // Transactions of other organizations delete the same answers; none waits for another.
  deleteOldest: `WITH l AS MATERIALIZED (
      SELECT min(l.expired::double precision) AS expired, sum(l.count::bigint) AS count
      FROM ${unnestValues('expired', 'count')}
    )
    DELETE FROM remembered_answers WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM remembered_answers WHERE answered_at <= (SELECT expired FROM l)
      ORDER BY answered_at LIMIT (SELECT count FROM l) FOR UPDATE SKIP LOCKED))`,
});

/** The answers to requests with idempotency keys, in PostgreSQL. */
export class PostgresRememberedAnswerWriter implements RememberedAnswerWriter {
  readonly #session: WritingSession;
  readonly #known = new KnownReads<RememberedAnswer | undefined>();

  constructor(session: WritingSession) {
    this.#session = session;
  }

  async find({ org, scope, key }: RequestKey, after: number): Promise<RememberedAnswer | undefined> {
    const known = await this.#known.read(toKey(org, scope, key), async () => {
      const [row] = await this.#session.lookUp(statements.find, [org, scope, key]);
      return optional(row, toRememberedAnswer);
    });
    return known !== undefined && known.answeredAt > after ? known : undefined;
  }

  save({ org, scope, key }: RequestKey, { digest, answeredAt, status, body }: RememberedAnswer): Promise<void> {
    const values = [org, scope, key, digest, answeredAt, status, body];
    const record = toKey(org, scope, key);
    // A statement cannot write a row twice.
    if (this.#known.isWritten(record)) return this.#session.send(statements.save, toColumns([values]));
    this.#known.noteWrite(record);
    return this.#session.sendShared(statements.save, values);
  }

  deleteOldest(after: number, limit: number): Promise<void> {
    return this.#session.sendShared(statements.deleteOldest, [after, limit]);
  }
}
