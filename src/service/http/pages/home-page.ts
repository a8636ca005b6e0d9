import type { Role } from '../../../contract/role.ts';
import { actorName } from '../../domain/access.ts';
import type { StoredKey } from '../../domain/accounts.ts';
import type { AccountStore } from '../../storage/account-store.ts';
import { html, type Html } from './html.ts';
import { renderFacts } from './layout.ts';

/** An organization that a key opens. */
export interface AccessibleOrganization {
  readonly org: string;
  /** The role of the key's owner there. */
  readonly role: Role;
  readonly isDefault: boolean;
}

/** The organizations that a key opens: the default one first, the others by name. */
export async function listAccessibleOrganizations(
  store: AccountStore,
  key: StoredKey,
): Promise<readonly AccessibleOrganization[]> {
  const { ownerKind, owner, isLimitedToOrg } = key;
  const opensAll = ownerKind === 'user' && !isLimitedToOrg;
  const organizations = opensAll ? await store.listOrganizations(owner) : [key.org];
  const defaultOrg = opensAll ? await store.defaultOrganization(owner) : undefined;
  const found: AccessibleOrganization[] = [];
  for (const org of organizations) {
    const role = await store.findRole(org, ownerKind, owner);
    if (role !== undefined) found.push({ org, role, isDefault: org === defaultOrg });
  }
  return [...found.filter(({ isDefault }) => isDefault), ...found.filter(({ isDefault }) => !isDefault)];
}

/** Who asks, and which organizations the key opens. */
export function renderHome(key: StoredKey, organizations: readonly AccessibleOrganization[]): Html {
  const items = organizations.map(({ org, role, isDefault }) => {
    const words = isDefault ? ' (your default organization)' : '';
    return html`<li><strong>${org}</strong>: ${role}${words}</li>`;
  });
  return html`
    ${renderFacts([
      ['You are', actorName(key)],
      ['Key', key.id],
    ])}
    <h2>Organizations</h2>
    <ul>
      ${items}
    </ul>
  `;
}
