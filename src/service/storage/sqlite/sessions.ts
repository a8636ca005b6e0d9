import type { Session } from '../../domain/session.ts';
import type { SessionKey, SessionReader, SessionWriter } from '../sessions.ts';
import { optional } from '../rows.ts';
import { toSession } from '../rows/sessions.ts';
import type { Session as DatabaseSession } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  find: 'SELECT * FROM sessions WHERE token_hash = ?',
  listOfKey: 'SELECT * FROM sessions WHERE org = ? AND key_id = ? ORDER BY created_at',
} as const;

const writing = {
  insert: 'INSERT INTO sessions (token_hash, org, key_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  delete: 'DELETE FROM sessions WHERE token_hash = ? AND org = ?',
  deleteOfKey: 'DELETE FROM sessions WHERE org = ? AND key_id = ?',
  deleteExpired: 'DELETE FROM sessions WHERE org = ? AND expires_at <= ?',
} as const;

/** Sessions of browsers in SQLite, for reading. */
export class SqliteSessionReader implements SessionReader {
  protected readonly session: DatabaseSession;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: DatabaseSession) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(tokenHash: Uint8Array): Promise<Session | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(tokenHash), toSession));
  }

  listOfKey({ org, keyId }: SessionKey): Promise<readonly Session[]> {
    return this.session.execute(() => this.#statements.listOfKey.all(org, keyId).map(toSession));
  }
}

/** Sessions of browsers in SQLite, for writing. */
export class SqliteSessionWriter extends SqliteSessionReader implements SessionWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: DatabaseSession) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insert({ tokenHash, org, keyId, createdAt, expiresAt }: Session): Promise<void> {
    return this.session.execute(() => {
      this.#statements.insert.run(tokenHash, org, keyId, createdAt, expiresAt);
    });
  }

  delete({ org, tokenHash }: Pick<Session, 'org' | 'tokenHash'>): Promise<void> {
    return this.session.execute(() => {
      this.#statements.delete.run(tokenHash, org);
    });
  }

  deleteOfKey({ org, keyId }: SessionKey): Promise<void> {
    return this.session.execute(() => {
      this.#statements.deleteOfKey.run(org, keyId);
    });
  }

  deleteExpired(org: string, now: number): Promise<void> {
    return this.session.execute(() => {
      this.#statements.deleteExpired.run(org, now);
    });
  }
}
