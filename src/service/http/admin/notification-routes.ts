import {
  notificationNotFound,
  type NotificationPayload,
  type NotificationTarget,
} from '../../../contract/notification.ts';
import { noMailServer, shownTarget, type TargetState } from '../../domain/notifications.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import { newWebhookSecret, rotateSecret, type SigningSecret } from '../../domain/webhook-secret.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import { toNotificationResponse } from '../api/notifications.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Store } from '../../storage/storage.ts';
import { adminErrors } from './errors.ts';
import {
  createNotification,
  deleteNotification,
  inspectNotification,
  rotateWebhookSecret,
  type AdministeredTarget,
} from './notification-endpoints.ts';

/** How long a previous secret stays valid unless said otherwise, in hours. */
const usualGrace = 24;

/** Creating, inspecting and deleting notifications, and the secrets of their webhooks. */
export function addNotificationAdministration(
  host: RouteHost,
  dependencies: Dependencies,
  guard: Authenticator<'administrator'>,
): void {
  const { store, now, randomBytes } = dependencies;
  addRoute(host, createNotification, guard, async ({ caller, parameters: { org }, document }) => {
    if (!(await store.hasOrganization(org))) {
      throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
    }
    const faults = [...unusableTargets(document, dependencies), ...(await unknownEnvironments(store, org, document))];
    if (faults.length > 0) throw validationError(...faults);
    const { name, environments, triggers } = document;
    const createdAt = unixSeconds(now());
    const secrets = signingSecrets(document, createdAt, randomBytes);
    const created = {
      ...{ org, name, createdAt, createdBy: caller },
      environments: [...new Set(environments)],
      triggers: [...new Set(triggers)],
      targets: document.targets.map(withoutSecret),
    };
    const number = await store.createNotification(created, secrets);
    if (number === 'organization not found') throw new Error(`organization ${org} was there a moment before`);
    const answer = toNotificationResponse({ ...created, number, failing: false }, dependencies);
    const targets = created.targets.map((target, position) => {
      const secret = secrets.get(position)?.secret;
      return { ...shownTarget(target), ...(secret === undefined ? {} : { secret }) };
    });
    return { status: 201, body: { ...answer, targets } };
  });

  addRoute(host, inspectNotification, guard, async ({ parameters: { org, notification_number } }) => {
    const number = Number(notification_number);
    const found = await store.findNotification(org, number);
    const targets = await store.findTargets(org, number);
    if (found === undefined || targets === undefined) throw new ApiError(notificationNotFound);
    const shown = targets.map((target) => administeredTarget(target, dependencies));
    return { status: 200, body: { ...toNotificationResponse(found, dependencies), targets: shown } };
  });

  addRoute(host, rotateWebhookSecret, guard, async ({ parameters, document }) => {
    const { org, notification_number: number, position } = parameters;
    const { secret = newWebhookSecret(randomBytes), grace_period_hours: grace = usualGrace } = document;
    const change = { now: unixSeconds(now()), grace: grace * 3600 };
    const changed = await store.changeSecrets({ org, number: Number(number), position: Number(position) }, (secrets) =>
      rotateSecret(secrets, secret, change),
    );
    if (changed === 'not found') {
      throw new ApiError(adminErrors.webhookNotFound, { values: { org, number, position } });
    }
    return { status: 201, body: { secret, grace_period_expires_at: changed[1]?.expiresAt ?? null } };
  });

  addRoute(host, deleteNotification, guard, async ({ parameters: { org, notification_number } }) => {
    const outcome = await store.deleteNotification(org, Number(notification_number), unixSeconds(now()));
    if (outcome === 'not found') throw new ApiError(notificationNotFound);
    return { status: 200, body: 'OK' };
  });
}

type TargetPayload = NotificationPayload['targets'][number];

function signingSecrets(
  { targets }: NotificationPayload,
  createdAt: number,
  randomBytes: RandomBytes,
): ReadonlyMap<number, SigningSecret> {
  return new Map(
    targets.flatMap((target, position) => {
      if (target.type !== 'WEBHOOK') return [];
      return [[position, { secret: target.secret ?? newWebhookSecret(randomBytes), createdAt }] as const];
    }),
  );
}

/** The target as it is stored: secrets are kept beside it, so that they cannot be answered with it. */
function withoutSecret(target: TargetPayload): NotificationTarget {
  if (target.type !== 'WEBHOOK') return target;
  const { type, webhook, payload_version } = target;
  return { type, webhook, payload_version };
}

function administeredTarget(
  { target, secrets, waiting, attempts, dueAt, lastSuccessAt, lastError }: TargetState,
  { sendsMail }: Dependencies,
): AdministeredTarget {
  const cannotBeSent = target.type === 'EMAIL' && !sendsMail ? noMailServer : null;
  return {
    ...shownTarget(target),
    delivery: {
      waiting,
      failures: attempts,
      next_attempt_at: dueAt ?? null,
      last_success_at: lastSuccessAt ?? null,
      last_error: lastError?.reason ?? cannotBeSent,
      last_error_at: lastError?.at ?? null,
    },
    secrets: secrets.map(({ createdAt, expiresAt }) => ({ created_at: createdAt, expires_at: expiresAt ?? null })),
  };
}

type Fault = readonly [field: string, rule: string];

function unusableTargets({ targets }: NotificationPayload, { sendsMail }: Dependencies): readonly Fault[] {
  return targets.flatMap((target, index): readonly Fault[] => {
    if (target.type === 'EMAIL')
      return sendsMail ? [] : [[`targets.${index}`, `no e-mail can be sent: ${noMailServer}`]];
    const url = URL.parse(target.webhook);
    const usable = url !== null && url.username === '' && url.password === '';
    return usable ? [] : [[`targets.${index}.webhook`, 'must be an http(s) URL without credentials']];
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
