import { conforms } from '../../contract/check.ts';
import { pullRequestEvents } from '../../contract/login-rule.ts';
import { orgName } from '../../contract/names.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { toRecorderId } from '../requirement/recorder.ts';
import { type Grant, mayOpen, withoutDefinitions } from './access.ts';
import type { Login, Membership, StoredKey } from './account.ts';

export interface KeyHolder {
  readonly key: StoredKey;
  /** What it permits in the requested organization; empty if it gives no access to it. */
  readonly grants: readonly Grant[];
}

type KeyRecords = Pick<ReadTransaction, 'accounts' | 'loginRules'>;

/**
 * Finds a key by its id. The caller must still verify the secret. `org` may be any text, because a request is
 * authenticated before it is validated.
 */
export async function findKeyHolder(
  records: KeyRecords,
  { id, org }: { readonly id: string; readonly org: string | undefined },
): Promise<KeyHolder | undefined> {
  const key = await records.accounts.findKey(id);
  if (key === undefined) return undefined;
  const isOpen = org !== undefined && conforms(orgName, org) && mayOpen(key, org);
  return { key, grants: isOpen ? await findGrants(records, key, org) : [] };
}

/** What a key permits in an organization that it opens. */
export async function findGrants(
  { accounts, loginRules }: KeyRecords,
  { ownerKind, owner, login }: StoredKey,
  org: string,
): Promise<readonly Grant[]> {
  if (ownerKind === 'workflow') {
    const granted = await loginRules.listGrants(org, login?.rules ?? []);
    return isOfPullRequest(login) ? granted.map(withoutDefinitions) : granted;
  }
  if (ownerKind === 'service account') {
    const account = await accounts.findServiceAccount(org, owner);
    if (account === undefined) return [];
    return [{ role: account.privilege, recorder: toRecorderId(`service-account:${owner}`, account.createdAt) }];
  }
  const role = await accounts.findRole(org, ownerKind, owner);
  return role === undefined ? [] : [{ role }];
}

function isOfPullRequest(login: Login | undefined): boolean {
  return pullRequestEvents.some((event) => event === login?.proven.event_name);
}

/** Lists the organizations that a key gives access to: the default organization first, then the others by name. */
export function listOpenOrganizations(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { key }: { readonly key: StoredKey },
): Promise<readonly Membership[]> {
  const { org, ownerKind, owner, isLimitedToOrg } = key;
  return storage.read(async (records) => {
    if (ownerKind === 'user' && !isLimitedToOrg) {
      const memberships = await records.accounts.listMemberships(owner);
      return [...memberships.filter((one) => one.isDefault), ...memberships.filter((one) => !one.isDefault)];
    }
    const grants = await findGrants(records, key, org);
    return grants.slice(0, 1).map(({ role }) => ({ org, role, isDefault: false }));
  });
}
