import { actorName } from '../../domain/access.ts';
import type { Membership, StoredKey } from '../../domain/accounts.ts';
import { html, type Html } from './html.ts';
import { renderFacts } from './layout.ts';

/** Renders the home page: the owner of the key, and the organizations that it gives access to. */
export function renderHome(key: StoredKey, organizations: readonly Membership[]): Html {
  const items = organizations.map(({ org, role, isDefault }) => {
    const note = isDefault ? ' (your default organization)' : '';
    return html`<li><strong>${org}</strong>: ${role}${note}</li>`;
  });
  return html`
    ${renderFacts([
      ['Signed in as', actorName(key)],
      ['Key', key.id],
    ])}
    <h2>Organizations</h2>
    <ul>
      ${items}
    </ul>
  `;
}
