import { Type } from '../../contract/schema.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { type AdministrationView, toAdministrationPage } from './administration-page.ts';

/** How many members, and how many service accounts, are shown with their keys. */
const maximumOwners = 100;

/** How many keys of workflow runs are shown. */
const maximumLoginKeys = 100;

export function addAdministrationPage(host: PageHost): void {
  const { dependencies } = host;
  const declaration = { url: '/:org/administration', path: orgPath, query: Type.Object({}) };
  addPage(host, { ...declaration, permission: 'administer' }, async ({ path: { org }, context }) =>
    toAdministrationPage(context, await loadAdministration(dependencies, org)),
  );
}

function loadAdministration(
  { storage, now, sendsMail, startRemarks, quotas = {} }: RouteDependencies,
  org: string,
): Promise<AdministrationView> {
  const time = unixSeconds(now());
  return storage.read(async ({ accounts, loginRules, notifications, sessions, usage }) => {
    const [allMembers, allAccounts] = [await accounts.listMembers(org), await accounts.listServiceAccounts(org)];
    const members = allMembers.slice(0, maximumOwners).map(async (member) => ({
      member,
      keys: await accounts.listKeys(org, 'user', member.user),
    }));
    const serviceAccounts = allAccounts.slice(0, maximumOwners).map(async (account) => ({
      account,
      keys: await accounts.listKeys(org, 'service account', account.name),
    }));
    const loginKeys = await accounts.listLoginKeys(org, time, { offset: 0, limit: maximumLoginKeys });
    return {
      org,
      members: await Promise.all(members),
      moreMembers: allMembers.length - members.length,
      accounts: await Promise.all(serviceAccounts),
      moreAccounts: allAccounts.length - serviceAccounts.length,
      loginRules: await loginRules.list(org),
      loginKeys,
      moreLoginKeys: (await accounts.countLoginKeys(org, time)) - loginKeys.length,
      sessions: await sessions.listCurrent(org, time),
      notifications: await notifications.list(org),
      sendsMail,
      usage: await usage.find(org, time),
      quotas,
      startRemarks,
    };
  });
}
