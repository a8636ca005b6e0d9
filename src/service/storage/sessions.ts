import type { Session } from '../domain/session.ts';

/** Identifies a key. */
export interface SessionKey {
  readonly org: string;
  readonly keyId: string;
}

/** Reads the sessions of browsers. */
export interface SessionReader {
  /** Finds a session of any organization by the hash of its token. It may have expired. */
  find(tokenHash: Uint8Array): Promise<Session | undefined>;
  /** The sessions of a key, oldest first. They may have expired. */
  listOfKey(key: SessionKey): Promise<readonly Session[]>;
}

/** Reads and writes the sessions of browsers. */
export interface SessionWriter extends SessionReader {
  /** Its key must exist. */
  insert(session: Session): Promise<void>;
  delete(session: Pick<Session, 'org' | 'tokenHash'>): Promise<void>;
  deleteOfKey(key: SessionKey): Promise<void>;
  /** Deletes the sessions of the organization that expired before or at this time. */
  deleteExpired(org: string, now: number): Promise<void>;
}
