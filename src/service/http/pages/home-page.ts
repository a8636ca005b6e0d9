import { actorName } from '../../domain/access.ts';
import type { Membership, StoredKey } from '../../domain/accounts.ts';
import { html, type Html } from './html.ts';
import { renderFacts } from './layout.ts';

/** Who asks, and which organizations the key opens. */
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
