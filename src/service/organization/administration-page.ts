import { listMemberKeys, listServiceAccountKeys } from '../../contract/api-key.ts';
import { listLoginKeys } from '../../contract/login-key.ts';
import { allEnvironments, listLoginRules } from '../../contract/login-rule.ts';
import { listMembers } from '../../contract/member.ts';
import { inspectNotification, listNotifications } from '../../contract/notification-administration.ts';
import { Type } from '../../contract/schema.ts';
import { listServiceAccounts } from '../../contract/service-account.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { KeyWithUse } from '../account/account-records.ts';
import { renderAuditFilter } from '../audit/audit-log-page.ts';
import { listDefaultChanges, toRuleLimits } from '../login/login-rule.ts';
import { findProblem, redactTarget, type TargetState } from '../notification/notification.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import {
  clip,
  renderBadge,
  renderExpiry,
  renderLinks,
  renderTime,
  renderTimeOrNever,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { findLimit, quotaNames } from './quota.ts';

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

type AdministrationView = Awaited<ReturnType<typeof loadAdministration>>;

function loadAdministration({ storage, now, sendsMail, startRemarks, quotas = {} }: RouteDependencies, org: string) {
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

/** Creates the page for administrators, which changes nothing and shows no secrets. */
function toAdministrationPage(context: PageContext, view: AdministrationView): Page {
  const { org, members, accounts, notifications } = view;
  const [account, member, notification] = [accounts[0], members[0], notifications[0]];
  return {
    title: 'Administration',
    section: 'administration',
    api: [
      apiRequest(listMembers, { org }),
      ...(member === undefined ? [] : [apiRequest(listMemberKeys, { org, user: member.member.user })]),
      apiRequest(listServiceAccounts, { org }),
      ...(account === undefined ? [] : [apiRequest(listServiceAccountKeys, { org, name: account.account.name })]),
      apiRequest(listLoginRules, { org }),
      apiRequest(listLoginKeys, { org }),
      apiRequest(listNotifications, { org }),
      ...(notification === undefined
        ? []
        : [apiRequest(inspectNotification, { org, notification_number: String(notification.number) })]),
    ],
    content: html`<p>
        This page changes nothing. Members, service accounts, keys, login rules and notifications are changed by the
        requests of the API.
      </p>
      ${view.startRemarks.map((remark) => html`<p class="notice">For the operator of the service: ${remark}.</p>`)}
      <h2>Audit log</h2>
      ${renderAuditFilter(context.paths.auditLog(org), {})}
      <h2>Members</h2>
      ${renderMembers(context, view)}
      <h2>Service accounts</h2>
      ${renderAccounts(context, view)}
      <h2>Keys</h2>
      ${renderKeys(context, view)}
      <h2>Sessions of browsers</h2>
      ${renderSessions(context, view)}
      <h2>Login rules</h2>
      ${renderLoginRules(view)}
      <h2>Keys of workflow runs</h2>
      ${renderLoginKeys(context, view)}
      <h2>Notifications</h2>
      ${renderNotifications(context, view)}
      <h2>Quotas</h2>
      ${renderQuotas(view)}`,
  };
}

function renderMembers(context: PageContext, { members, moreMembers }: AdministrationView): Html {
  return renderTable({
    label: 'Members',
    columns: ['Member', 'Role', 'Keys', 'Since'],
    rows: members.map(({ member: { user, role, createdAt }, keys }): readonly Hole[] => [
      user,
      role,
      String(keys.length),
      renderTime(createdAt, context),
    ]),
    more: moreMembers,
    empty: 'There are no members.',
    maximumBytes: 15_000,
  });
}

function renderAccounts(context: PageContext, { accounts, moreAccounts }: AdministrationView): Html {
  return renderTable({
    label: 'Service accounts',
    columns: ['Service account', 'Role', 'Description', 'Keys', 'Created'],
    rows: accounts.map(({ account, keys }): readonly Hole[] => [
      account.name,
      account.privilege,
      clip(account.description, 160),
      String(keys.length),
      html`${renderTime(account.createdAt, context)} by ${account.createdBy}`,
    ]),
    more: moreAccounts,
    empty: html`There is no service account. Create one for each machine that reports, with
      <code>POST /service-accounts/{org}</code>.`,
    maximumBytes: 15_000,
  });
}

function renderKeys(context: PageContext, view: AdministrationView): Html {
  const { members, accounts } = view;
  const others = view.moreMembers + view.moreAccounts;
  const toRow = (owner: string, key: KeyWithUse): readonly Hole[] => [
    html`<code>${key.id}</code>`,
    owner,
    clip(key.description, 120),
    renderExpiry(key.expiresAt, context),
    renderTimeOrNever(key.lastUsedAt, context),
    renderTime(key.createdAt, context),
  ];
  const table = renderTable({
    label: 'Keys',
    columns: ['Key', 'Owner', 'Description', 'Expires', 'Last used', 'Created'],
    rows: [
      ...members.flatMap(({ member, keys }) => keys.map((key) => toRow(member.user, key))),
      ...accounts.flatMap(({ account, keys }) => keys.map((key) => toRow(`service account ${account.name}`, key))),
    ],
    empty: 'There are no keys.',
    maximumBytes: 20_000,
  });
  return html`${table}
  ${others === 0 ? undefined : html`<p>The keys of ${others} more members and service accounts are not shown here.</p>`}`;
}

function renderSessions(context: PageContext, { sessions }: AdministrationView): Html {
  return renderTable({
    label: 'Sessions of browsers',
    columns: ['Signed in as', 'Key', 'Since', 'Until'],
    rows: sessions.map(({ ownerKind, owner, keyId, createdAt, expiresAt }): readonly Hole[] => [
      ownerKind === 'user' ? owner : `${ownerKind} ${owner}`,
      html`<code>${keyId}</code>`,
      renderTime(createdAt, context),
      renderTime(expiresAt, context),
    ]),
    rest: 'are not shown here.',
    empty: 'No browser is signed in.',
    maximumBytes: 10_000,
  });
}

function renderLoginRules({ loginRules }: AdministrationView): Html {
  return renderTable({
    label: 'Login rules',
    columns: ['Login rule', 'Repository', 'Events', 'Role', 'Permissions', 'Counts for', 'By the defaults'],
    rows: loginRules.map((rule): readonly Hole[] => {
      const { permissions, counts_for_environments: counted } = toRuleLimits(rule);
      return [
        rule.name,
        rule.repository,
        clip(rule.events.join(', '), 120),
        rule.role,
        permissions.length === 0 ? 'none' : permissions.join(', '),
        listEnvironments(counted),
        renderDefaultChanges(listDefaultChanges(rule)),
      ];
    }),
    empty: 'There are no login rules, so no workflow run can log in.',
    maximumBytes: 15_000,
  });
}

function renderLoginKeys(context: PageContext, { loginKeys, moreLoginKeys }: AdministrationView): Html {
  return renderTable({
    label: 'Keys of workflow runs',
    columns: ['Key', 'Repository', 'Run', 'Event and ref', 'Login rules', 'Expires'],
    rows: loginKeys.map(({ id, owner, description, login, expiresAt }): readonly Hole[] => [
      html`<code>${id}</code>`,
      owner,
      description,
      clip(`${login?.proven.event_name ?? ''} ${login?.proven.ref ?? ''}`, 160),
      clip(login?.rules.join(', ') ?? '', 160),
      renderExpiry(expiresAt, context),
    ]),
    more: moreLoginKeys,
    empty: 'No workflow run is logged in.',
    maximumBytes: 15_000,
  });
}

function listEnvironments(environments: readonly string[]): string {
  if (environments.length === 0) return 'no environment';
  return environments.includes(allEnvironments) ? 'all environments' : clip(environments.join(', '), 160);
}

/** A rule of an earlier version keeps what it gives until it is saved again. */
function renderDefaultChanges(changes: readonly string[]): Hole {
  if (changes.length === 0) return 'no change';
  const words = changes.join(', and ');
  return html`${renderBadge('INCOMPLETE', 'Of an earlier version')} ${words}; save it again to decide`;
}

function renderNotifications(context: PageContext, { org, notifications, sendsMail }: AdministrationView): Html {
  const { paths } = context;
  return renderTable({
    label: 'Notifications and their deliveries',
    columns: ['Notification', 'Environments', 'Target', 'Waiting', 'Latest delivery', 'Problem'],
    rows: notifications.flatMap((notification) =>
      notification.targets.map((target): readonly Hole[] => [
        `${notification.number}: ${clip(notification.name, 120)}`,
        renderLinks(notification.environments, (name) => paths.environment(org, name)),
        describeTarget(target),
        target.waiting === 0 ? 'none' : String(target.waiting),
        target.lastSuccessAt === undefined ? 'none yet' : renderTime(target.lastSuccessAt, context),
        renderProblem(context, target, sendsMail),
      ]),
    ),
    empty: 'There are no notifications. Create one to hear of environments that no longer comply.',
    maximumBytes: 20_000,
  });
}

function renderQuotas({ org, usage, quotas }: AdministrationView): Html {
  return renderTable({
    label: 'Quotas',
    columns: ['Quota', 'Used', 'Allowed'],
    rows: quotaNames.map((name): readonly Hole[] => [
      name,
      String(usage[name]),
      String(findLimit(quotas, org, name) ?? 'no limit'),
    ]),
    empty: 'There are no quotas.',
    maximumBytes: 15_000,
  });
}

/** Addresses of webhooks can contain secrets. */
function describeTarget({ target }: TargetState): string {
  const shown = redactTarget(target);
  return shown.type === 'WEBHOOK' ? `webhook ${shown.webhook}` : shown.type.toLowerCase();
}

function renderProblem(context: PageContext, target: TargetState, sendsMail: boolean): Hole {
  const problem = findProblem(target, sendsMail);
  if (problem === undefined) return renderBadge('COMPLIANT', 'None');
  const { lastError, dueAt } = target;
  const failed = lastError === undefined ? undefined : html`, ${renderTime(lastError.at, context)}`;
  const next = dueAt === undefined ? undefined : html`; the next attempt is ${renderTime(dueAt, context)}`;
  return html`${renderBadge('NON-COMPLIANT', 'Failing')} ${clip(problem, 200)}${failed}${next}`;
}
