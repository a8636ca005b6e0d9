import { apiKeyForm, formatApiKey, hashSecret, newApiKey, parseApiKey, secretMatches } from './domain/api-key.ts';
import { unixSeconds, type Now } from '../runtime/clock.ts';
import type { RandomBytes } from '../runtime/random.ts';
import type { Store } from './storage/store.ts';

/** The organization and key that a service is started with. */
export interface InitialApiKey {
  readonly org: string;
  /** A key of the operator's choice; generated if absent. */
  readonly key?: string | undefined;
}

interface KeySources {
  readonly now: Now;
  readonly randomBytes: RandomBytes;
}

/**
 * Makes sure that the organization exists and has a key of an administrator, so that a new service can be used at once.
 * Starting again with the same settings changes nothing.
 *
 * @returns the key, if it was generated; only then does anyone need to be shown it.
 * @throws Error if the given key does not have the form of a key, or its id belongs to another one.
 */
export async function ensureInitialApiKey(
  store: Store,
  { org, key: given }: InitialApiKey,
  sources: KeySources,
): Promise<string | undefined> {
  await store.createOrganization(org, unixSeconds(sources.now()));
  const description = 'The first key of the organization';
  if (given === undefined) {
    if (await store.hasKeys(org)) return undefined;
    return addOrgAdminApiKey(store, { org, user: await chooseAdminUser(store, org), description }, sources);
  }
  const key = parseApiKey(given);
  if (key === undefined) throw new Error(`the first key has not the form of a key: ${apiKeyForm}`);
  const stored = await store.findKey(key.id);
  if (stored !== undefined) {
    const same = stored.org === org && secretMatches(key.secret, stored.secretHash);
    if (!same) throw new Error(`the id ${key.id} of the first key belongs to another key; choose another`);
    return undefined;
  }
  await addOrgAdminApiKey(store, { org, user: await chooseAdminUser(store, org), description, key }, sources);
  return undefined;
}

/** Whose key is added. */
interface OrgAdminApiKey {
  readonly org: string;
  readonly user: string;
  readonly description: string;
  /** Generated if absent. */
  readonly key?: ReturnType<typeof newApiKey>;
}

/** Adds a key of a user, who becomes an admin of the organization unless already a member, and returns it. */
export async function addOrgAdminApiKey(
  store: Store,
  { org, user, description, key }: OrgAdminApiKey,
  { now, randomBytes }: KeySources,
): Promise<string> {
  const createdAt = unixSeconds(now());
  const { id, secret } = key ?? newApiKey(randomBytes);
  const member = await store.findMember(org, user);
  if (member === undefined) await store.saveMember({ org, user, role: 'admin', createdAt });
  const owner = { ownerKind: 'user', owner: user, isLimitedToOrg: false } as const;
  await store.addKey({ org, id, ...owner, description, secretHash: hashSecret(secret), createdAt });
  return formatApiKey({ id, secret });
}

/**
 * The name of the user who gets a key that the operator made for an organization: `admin`, or with a number if that user has
 * another role, or is a member of another organization, which the key would open as well.
 */
export async function chooseAdminUser(store: Store, org: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'admin' : `admin-${number}`;
    const organizations = await store.listOrganizations(name);
    if (organizations.length === 0) return name;
    if (organizations.every((other) => other === org) && (await store.findRole(org, 'user', name)) === 'admin')
      return name;
  }
}
