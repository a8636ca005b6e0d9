import type { Session } from '../../domain/session.ts';
import { optional } from '../rows.ts';
import { toSession } from '../rows/sessions.ts';
import type { SessionKey, SessionReader, SessionWriter } from '../sessions.ts';
import type { Session as DatabaseSession } from './session.ts';
import { defineStatements } from './statements.ts';

const columns = 'token_hash, org, key_id, created_at, expires_at';

const statements = defineStatements('sessions', {
  find: `SELECT ${columns} FROM sessions WHERE token_hash = $1`,
  listOfKey: `SELECT ${columns} FROM sessions WHERE org = $1 AND key_id = $2 ORDER BY created_at`,
  insert: `INSERT INTO sessions (${columns}) VALUES ($1, $2, $3, $4, $5)`,
  delete: 'DELETE FROM sessions WHERE org = $1 AND token_hash = $2',
  deleteOfKey: 'DELETE FROM sessions WHERE org = $1 AND key_id = $2',
  deleteExpired: 'DELETE FROM sessions WHERE org = $1 AND expires_at <= $2',
});

/** Sessions of browsers in PostgreSQL, for reading. */
export class PostgresSessionReader implements SessionReader {
  protected readonly session: DatabaseSession;

  constructor(session: DatabaseSession) {
    this.session = session;
  }

  async find(tokenHash: Uint8Array): Promise<Session | undefined> {
    const [row] = await this.session.query(statements.find, [tokenHash]);
    return optional(row, toSession);
  }

  async listOfKey({ org, keyId }: SessionKey): Promise<readonly Session[]> {
    return (await this.session.query(statements.listOfKey, [org, keyId])).map(toSession);
  }
}

/** Sessions of browsers in PostgreSQL, for writing. */
export class PostgresSessionWriter extends PostgresSessionReader implements SessionWriter {
  insert({ tokenHash, org, keyId, createdAt, expiresAt }: Session): Promise<void> {
    return this.session.run(statements.insert, [tokenHash, org, keyId, createdAt, expiresAt]);
  }

  delete({ org, tokenHash }: Pick<Session, 'org' | 'tokenHash'>): Promise<void> {
    return this.session.run(statements.delete, [org, tokenHash]);
  }

  deleteOfKey({ org, keyId }: SessionKey): Promise<void> {
    return this.session.run(statements.deleteOfKey, [org, keyId]);
  }

  deleteExpired(org: string, now: number): Promise<void> {
    return this.session.run(statements.deleteExpired, [org, now]);
  }
}
