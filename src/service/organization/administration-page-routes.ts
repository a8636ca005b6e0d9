import { Type } from '../../contract/schema.ts';
import { listKeys } from '../account/api-key-use-cases.ts';
import { listLoginKeys } from '../login/login-use-cases.ts';
import { inspectNotification, type InspectedNotification } from '../notification/notification-use-cases.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { toAdministrationPage, type AdministrationView } from './administration-page.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';

/** How many members, and how many service accounts, are shown with their keys. */
const maximumOwners = 100;

/** How many keys of workflow runs are shown. */
const maximumLoginKeys = 100;

/** Adds the page for administrators. */
export function addAdministrationPage(host: PageHost): void {
  const { dependencies } = host;
  const declaration = { url: '/:org/administration', path: orgPath, query: Type.Object({}) };
  addPage(host, { ...declaration, permission: 'administer' }, async ({ path: { org }, context }) =>
    toAdministrationPage(context, await loadAdministration(dependencies, org)),
  );
}

async function loadAdministration(dependencies: RouteDependencies, org: string): Promise<AdministrationView> {
  const all = await dependencies.storage.read(async ({ accounts, loginRules, notifications }) => ({
    members: await accounts.listMembers(org),
    accounts: await accounts.listServiceAccounts(org),
    loginRules: await loginRules.list(org),
    notifications: await notifications.list(org),
  }));
  const members: AdministrationView['members'][number][] = [];
  for (const member of all.members.slice(0, maximumOwners)) {
    const owner = { org, ownerKind: 'user', owner: member.user } as const;
    members.push({ member, keys: (await listKeys(dependencies, owner)) ?? [] });
  }
  const accounts: AdministrationView['accounts'][number][] = [];
  for (const account of all.accounts.slice(0, maximumOwners)) {
    const owner = { org, ownerKind: 'service account', owner: account.name } as const;
    accounts.push({ account, keys: (await listKeys(dependencies, owner)) ?? [] });
  }
  const part = { offset: 0, limit: maximumLoginKeys };
  const { keys: loginKeys, total } = await listLoginKeys(dependencies, { org, part });
  const moreLoginKeys = total - loginKeys.length;
  const notifications: InspectedNotification[] = [];
  for (const { number } of all.notifications) {
    const inspected = await inspectNotification(dependencies, { org, number });
    if (inspected !== undefined) notifications.push(inspected);
  }
  const [moreMembers, moreAccounts] = [all.members.length - members.length, all.accounts.length - accounts.length];
  const rest = { loginRules: all.loginRules, loginKeys, moreLoginKeys, notifications };
  return { org, members, moreMembers, accounts, moreAccounts, ...rest };
}
