import { apiKeyForm, formatApiKey, hashSecret, newApiKey, parseApiKey, secretMatches } from './domain/api-key.ts';
import { unixSeconds, type Now, type RandomBytes } from './domain/sources.ts';
import type { Store } from './store/store.ts';

/** The organization and key that a service is started with. */
export interface FirstKey {
  readonly org: string;
  /** A key of the operator's choice; generated where absent. */
  readonly key?: string | undefined;
}

/**
 * Makes sure that the organization exists and has a key of an administrator, so that a new service can be used at once.
 * Starting again with the same settings changes nothing.
 *
 * @returns the key, where it was generated; only then does anyone need to be shown it.
 * @throws Error where the given key has not the form of a key, or its id belongs to another one.
 */
export async function ensureFirstKey(
  store: Store,
  { org, key: given }: FirstKey,
  { now, randomBytes }: { readonly now: Now; readonly randomBytes: RandomBytes },
): Promise<string | undefined> {
  const createdAt = unixSeconds(now());
  await store.createOrganization(org, createdAt);
  if (given === undefined && (await store.hasKeys(org))) return undefined;
  const key = given === undefined ? newApiKey(randomBytes) : parseApiKey(given);
  if (key === undefined) throw new Error(`the first key has not the form of a key: ${apiKeyForm}`);
  const stored = await store.findKey(key.id);
  if (stored !== undefined) {
    const same = stored.org === org && secretMatches(key.secret, stored.secretHash);
    if (!same) throw new Error(`the id ${key.id} of the first key belongs to another key; choose another`);
    return undefined;
  }
  const user = await firstUser(store, org);
  const owner = { ownerKind: 'user', owner: user, isLimitedToOrg: false } as const;
  const description = 'The first key of the organization';
  await store.saveMember({ org, user, role: 'admin', createdAt });
  await store.addKey({ org, id: key.id, ...owner, description, secretHash: hashSecret(key.secret), createdAt });
  return given === undefined ? formatApiKey(key) : undefined;
}

/**
 * The name of the user who gets the first key: `admin`, or with a number if that is a member of another organization, which
 * the key would open as well.
 */
async function firstUser(store: Store, org: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'admin' : `admin-${number}`;
    const organizations = await store.listOrganizations(name);
    if (organizations.every((other) => other === org)) return name;
  }
}
