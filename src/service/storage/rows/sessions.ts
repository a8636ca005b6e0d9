import type { Session } from '../../domain/session.ts';
import { blob, number, text, type Row } from '../rows.ts';

/** Converts a row to a session of a browser. */
export function toSession(row: Row): Session {
  return {
    tokenHash: blob(row, 'token_hash'),
    org: text(row, 'org'),
    keyId: text(row, 'key_id'),
    createdAt: number(row, 'created_at'),
    expiresAt: number(row, 'expires_at'),
  };
}
