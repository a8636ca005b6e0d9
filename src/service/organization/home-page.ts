import { getDefaultOrg } from '../../contract/user.ts';
import { actorName } from '../account/access.ts';
import type { Membership, StoredKey } from '../account/account.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import { pageLink, renderBadge, renderFacts } from '../platform/pages/components.ts';
import { type Html, html } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { renderTable } from '../platform/pages/table.ts';

/** An organization with the number of its environments by verdict; undefined if they were not counted. */
export interface OpenOrganization extends Membership {
  readonly environments: { readonly total: number; readonly failing: number } | undefined;
}

/** Creates the home page: the organizations that the key gives access to, and who is signed in. */
export function toHomePage(context: PageContext, key: StoredKey, organizations: readonly OpenOrganization[]): Page {
  const rows = organizations.map((organization) => [
    html`${pageLink(context.paths.organization(organization.org), organization.org)}${
      organization.isDefault ? ' (your default organization)' : ''
    }`,
    organization.role,
    describeEnvironments(organization),
  ]);
  return {
    title: 'Organizations',
    api: [apiRequest(getDefaultOrg, {})],
    content: html`${renderTable({
      label: 'Organizations',
      columns: ['Organization', 'Your role', 'Environments'],
      rows,
      empty:
        'This key gives access to no organization. Ask an administrator to make you a member of one, and open this page again.',
    })}
    ${renderFacts([
      ['Signed in as', actorName(key)],
      ['Key', key.id],
    ])}`,
  };
}

function describeEnvironments({ environments }: OpenOrganization): Html | string {
  if (environments === undefined) return '';
  const { total, failing } = environments;
  if (failing > 0) return renderBadge('NON-COMPLIANT', `${failing} of ${total} not compliant`);
  return total === 0 ? 'none' : `0 of ${total} not compliant`;
}
