import { notificationNotFound, type NotificationPayload } from '../../contract/notification.ts';
import { unixSeconds } from '../domain/sources.ts';
import type { Guard } from '../routes/authorization.ts';
import { notificationAnswer } from '../routes/notifications.ts';
import { invalid, Refusal } from '../routes/refusal.ts';
import { addRoute, type RouteHost } from '../routes/route.ts';
import type { Services } from '../routes/services.ts';
import type { Store } from '../store/store.ts';
import { administrationErrors } from './errors.ts';
import { createNotification, deleteNotification } from './notification-endpoints.ts';

/** Creating and deleting notifications. */
export function addNotificationAdministration(
  host: RouteHost,
  { store, now }: Services,
  guard: Guard<'administrator'>,
): void {
  addRoute(host, createNotification, guard, async ({ caller, parameters: { org }, document }) => {
    if (!(await store.hasOrganization(org))) {
      throw new Refusal(administrationErrors.organizationNotFound, { values: { org } });
    }
    const faults = [...unusableTargets(document), ...(await unknownEnvironments(store, org, document))];
    if (faults.length > 0) throw invalid(...faults);
    const { name, environments, triggers, targets } = document;
    const created = {
      ...{ org, name, targets, createdAt: unixSeconds(now()), createdBy: caller },
      environments: [...new Set(environments)],
      triggers: [...new Set(triggers)],
    };
    const number = await store.createNotification(created);
    if (number === 'organization not found') throw new Error(`organization ${org} was there a moment before`);
    return { status: 201, body: notificationAnswer({ ...created, number, failing: false }) };
  });

  addRoute(host, deleteNotification, guard, async ({ parameters: { org, notification_number } }) => {
    const outcome = await store.deleteNotification(org, Number(notification_number), unixSeconds(now()));
    if (outcome === 'not found') throw new Refusal(notificationNotFound);
    return { status: 200, body: 'OK' };
  });
}

type Fault = readonly [field: string, rule: string];

function unusableTargets({ targets }: NotificationPayload): readonly Fault[] {
  return targets.flatMap((target, index): readonly Fault[] => {
    const url = target.type === 'EMAIL' ? undefined : URL.parse(target.webhook);
    const usable = url === undefined || (url !== null && url.username === '' && url.password === '');
    return usable ? [] : [[`targets.${index}.webhook`, 'must be an address of the web without credentials']];
  });
}

/** A misspelt environment would make a notification that never fires. */
async function unknownEnvironments(
  store: Store,
  org: string,
  { environments }: NotificationPayload,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [index, environment] of environments.entries()) {
    if ((await store.findEnvironment(org, environment)) === undefined) {
      faults.push([`environments.${index}`, 'is no environment of the organization']);
    }
  }
  return faults;
}
