import { execFileSync } from 'node:child_process';

/** A user and group of the system. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the account for a program that refuses to run as root: the first of these users that exists. Returns
 * undefined if this process does not run as root, so that the program can run as the same user.
 *
 * @throws Error if none of the users exists
 */
export function unprivilegedAccount(users: readonly string[] = ['postgres', 'nobody']): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of users) {
    const [uid, gid] = [readId(user, '-u'), readId(user, '-g')];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`PostgreSQL refuses to run as root, and there is no user ${users.join(' or ')}. Create one.`);
}

function readId(user: string, option: '-u' | '-g'): number | undefined {
  try {
    return Number(execFileSync('id', [option, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}
