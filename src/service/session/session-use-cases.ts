import { unixSeconds } from '../../runtime/clock.ts';
import { findKeyHolder, type KeyHolder } from '../account/access-use-cases.ts';
import type { StoredKey } from '../account/account.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { hashSessionToken, maximumSessions, newSessionToken, type Session, sessionSeconds } from './session.ts';

export interface StartedSession {
  readonly session: Session;
  /** Only the browser keeps it. */
  readonly token: string;
}

/** Starts a session for the holder of a key, whose secret must have been checked. It ends no later than the key. */
export async function startSession(
  { storage, now, randomBytes }: Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'>,
  { org, id: keyId, expiresAt }: StoredKey,
): Promise<StartedSession> {
  const createdAt = unixSeconds(now());
  const token = newSessionToken(randomBytes);
  const times = { createdAt, expiresAt: Math.min(createdAt + sessionSeconds, expiresAt) };
  const session = { tokenHash: hashSessionToken(token), org, keyId, ...times };
  await storage.transaction(org, async ({ sessions }) => {
    await sessions.deleteExpired(org, createdAt);
    const known = await sessions.listOfKey({ org, keyId });
    // Makes room for the new session.
    for (const oldest of known.slice(0, Math.max(0, known.length - maximumSessions + 1))) await sessions.delete(oldest);
    await sessions.insert(session);
  });
  return { session, token };
}

/** Finds the key of a session that has not ended, with the role of its owner. The caller must check the key. */
export function findSessionHolder(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { token, org }: { readonly token: string; readonly org: string | undefined },
): Promise<KeyHolder | undefined> {
  const time = unixSeconds(now());
  return storage.read(async (records) => {
    const session = await records.sessions.find(hashSessionToken(token));
    if (session === undefined || session.expiresAt <= time) return undefined;
    return findKeyHolder(records, { id: session.keyId, org });
  });
}

/** Lists the sessions of a key that have not ended, oldest first. */
export function listSessions(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, id: keyId }: Pick<StoredKey, 'org' | 'id'>,
): Promise<readonly Session[]> {
  const time = unixSeconds(now());
  return storage.read(async ({ sessions }) =>
    (await sessions.listOfKey({ org, keyId })).filter(({ expiresAt }) => expiresAt > time),
  );
}

export function endSession(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { key: { org }, token }: { readonly key: Pick<StoredKey, 'org'>; readonly token: string },
): Promise<void> {
  return storage.transaction(org, ({ sessions }) => sessions.delete({ org, tokenHash: hashSessionToken(token) }));
}

export function endAllSessions(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, id: keyId }: Pick<StoredKey, 'org' | 'id'>,
): Promise<void> {
  return storage.transaction(org, ({ sessions }) => sessions.deleteOfKey({ org, keyId }));
}
