import type { RememberedAnswer, RememberedAnswerWriter, RequestKey } from '../remembered-answers.ts';
import { optional } from '../rows.ts';
import { toRememberedAnswer } from '../rows/remembered-answers.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const statements = {
  find: 'SELECT * FROM remembered_answers WHERE org = ? AND scope = ? AND key = ? AND answered_at > ?',
  save: `INSERT OR REPLACE INTO remembered_answers (org, scope, key, digest, answered_at, status, body)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  // `+ 0` after limits: SQLite recompiles a statement for every value that is bound directly to a limit.
  deleteOldest: `DELETE FROM remembered_answers WHERE (org, scope, key) IN (
    SELECT org, scope, key FROM remembered_answers WHERE answered_at <= ? ORDER BY answered_at LIMIT ? + 0)`,
} as const;

/** The answers to requests with idempotency keys, in SQLite. */
export class SqliteRememberedAnswerWriter implements RememberedAnswerWriter {
  readonly #session: Session;
  readonly #statements: Prepared<typeof statements>;

  constructor(session: Session) {
    this.#session = session;
    this.#statements = prepare(session.database, statements);
  }

  find({ org, scope, key }: RequestKey, after: number): Promise<RememberedAnswer | undefined> {
    return this.#session.execute(() => optional(this.#statements.find.get(org, scope, key, after), toRememberedAnswer));
  }

  save({ org, scope, key }: RequestKey, { digest, answeredAt, status, body }: RememberedAnswer): Promise<void> {
    return this.#session.execute(() => {
      this.#statements.save.run(org, scope, key, digest, answeredAt, status, body);
    });
  }

  deleteOldest(after: number, limit: number): Promise<void> {
    return this.#session.execute(() => {
      this.#statements.deleteOldest.run(after, limit);
    });
  }
}
