import { defineStatements, Repository } from '../platform/database/database.ts';
import { blob, number, text, toRecord } from '../platform/database/rows.ts';
import type { Session } from './session.ts';

export interface SessionKey {
  readonly org: string;
  readonly keyId: string;
}

export interface OwnedSession extends Omit<Session, 'tokenHash'> {
  readonly ownerKind: string;
  readonly owner: string;
}

const columns = 'token_hash, org, key_id, created_at, expires_at';

const statements = defineStatements('sessions', {
  find: `SELECT ${columns} FROM sessions WHERE token_hash = $1`,
  listOfKey: `SELECT ${columns} FROM sessions WHERE org = $1 AND key_id = $2 ORDER BY created_at`,
  listCurrent: `SELECT s.org, s.key_id, s.created_at, s.expires_at, k.owner_kind, k.owner FROM sessions s
    JOIN api_keys k ON k.org = s.org AND k.id = s.key_id
    WHERE s.org = $1 AND s.expires_at > $2 AND k.revoked_at IS NULL ORDER BY s.created_at DESC`,
  insert: `INSERT INTO sessions (${columns}) VALUES ($1, $2, $3, $4, $5)`,
  delete: 'DELETE FROM sessions WHERE org = $1 AND token_hash = $2',
  deleteOfKey: 'DELETE FROM sessions WHERE org = $1 AND key_id = $2',
  deleteExpired: 'DELETE FROM sessions WHERE org = $1 AND expires_at <= $2',
});

export class SessionReader extends Repository {
  /** Finds a session of any organization by the hash of its token. It may have expired. */
  find(tokenHash: Uint8Array): Promise<Session | undefined> {
    return this.queryFirst(statements.find, [tokenHash], toSession);
  }

  /** The sessions of a key, oldest first. They may have expired. */
  listOfKey({ org, keyId }: SessionKey): Promise<readonly Session[]> {
    return this.queryAll(statements.listOfKey, [org, keyId], toSession);
  }

  /** The sessions of the organization that have not ended, the latest first. */
  listCurrent(org: string, now: number): Promise<readonly OwnedSession[]> {
    return this.queryAll(statements.listCurrent, [org, now], toOwnedSession);
  }
}

export class SessionWriter extends SessionReader {
  /** Its key must exist. */
  insert({ tokenHash, org, keyId, createdAt, expiresAt }: Session): Promise<void> {
    return this.run(statements.insert, [tokenHash, org, keyId, createdAt, expiresAt]);
  }

  delete({ org, tokenHash }: Pick<Session, 'org' | 'tokenHash'>): Promise<void> {
    return this.run(statements.delete, [org, tokenHash]);
  }

  deleteOfKey({ org, keyId }: SessionKey): Promise<void> {
    return this.run(statements.deleteOfKey, [org, keyId]);
  }

  /** Deletes the sessions of the organization that expired before or at this time. */
  deleteExpired(org: string, now: number): Promise<void> {
    return this.run(statements.deleteExpired, [org, now]);
  }
}

const commonFields = { org: text, keyId: text, createdAt: number, expiresAt: number };

const toSession = toRecord<Session>({ tokenHash: blob, ...commonFields });

const toOwnedSession = toRecord<OwnedSession>({ ...commonFields, ownerKind: text, owner: text });
