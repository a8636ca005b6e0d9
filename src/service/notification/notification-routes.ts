import { maximumNotifications } from '../../contract/limits.ts';
import { getNotification, type Notification, notificationNotFound } from '../../contract/notification.ts';
import {
  type AdministeredTarget,
  createNotification,
  defaultSecretGraceHours,
  deleteNotification,
  inspectNotification,
  listNotifications,
  rotateWebhookSecret,
  updateNotification,
  webhookNotFound,
} from '../../contract/notification-administration.ts';
import { actorName } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, requireChange, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { findProblem, type NotificationRecord, redactTarget, type TargetState } from './notification.ts';
import * as notifications from './notification-use-cases.ts';

const tooManyRule = `is new, but the organization already has the maximum of ${maximumNotifications} notifications; change or delete one of them`;

/** Adds operation 8 (get a notification), and the endpoints with which admins manage those of their organization. */
export function addNotificationRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { storage } = dependencies;
  const read = requireRole(dependencies, 'read');
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, getNotification, read, async ({ parameters: { org, notification_number: number } }) => {
    const found = await storage.read((records) => records.notifications.find(org, Number(number)));
    if (found === undefined) throw new ApiError(notificationNotFound);
    return { status: 200, body: toNotificationResponse(found, dependencies) };
  });

  addRoute(host, createNotification, administer, ({ caller, parameters: { org }, document, carryOut }) => {
    const { name, environments, triggers, targets } = document;
    const command = { org, name, environments, triggers, targets, createdBy: actorName(caller) };
    return carryOut(notifications.createNotification, dependencies, command, (created, isRemembered) => {
      if (created.outcome === 'too many') throw validationError(['name', tooManyRule]);
      if (created.outcome === 'rejected') throw toRejection(created, environments);
      return { status: 201, body: toSavedResponse(created, isRemembered, dependencies) };
    });
  });

  addRoute(host, listNotifications, read, async ({ parameters: { org } }) => {
    const listed = await storage.read((records) => records.notifications.list(org));
    return { status: 200, body: listed.map((notification) => toNotificationResponse(notification, dependencies)) };
  });

  addRoute(host, updateNotification, administer, ({ parameters, document, carryOut }) => {
    const { org, notification_number: number } = parameters;
    requireChange(document);
    const change = { org, number: Number(number), ...document };
    return carryOut(notifications.updateNotification, dependencies, change, (updated, isRemembered) => {
      if (updated.outcome === 'not found') throw new ApiError(notificationNotFound);
      if (updated.outcome === 'rejected') throw toRejection(updated, document.environments ?? []);
      return { status: 200, body: toSavedResponse(updated, isRemembered, dependencies) };
    });
  });

  addRoute(host, deleteNotification, administer, ({ parameters: { org, notification_number }, carryOut }) =>
    carryOut(
      notifications.deleteNotification,
      dependencies,
      { org, number: Number(notification_number) },
      (outcome) => {
        if (outcome === 'not found') throw new ApiError(notificationNotFound);
        return { status: 200, body: 'OK' };
      },
    ),
  );

  addDeliveryRoutes(host, dependencies);
}

/** Adds the endpoints about the deliveries of a notification: their state, and the secrets that sign them. */
function addDeliveryRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, inspectNotification, administer, async ({ parameters: { org, notification_number } }) => {
    const found = await dependencies.storage.read((records) =>
      records.notifications.find(org, Number(notification_number)),
    );
    if (found === undefined) throw new ApiError(notificationNotFound);
    const targets = found.targets.map((target) => toAdministeredTarget(target, dependencies));
    return { status: 200, body: { ...toNotificationResponse(found, dependencies), targets } };
  });

  addRoute(host, rotateWebhookSecret, administer, ({ parameters, document, carryOut }) => {
    const { org, notification_number: number, position } = parameters;
    const { secret, grace_period_hours: grace = defaultSecretGraceHours } = document;
    const rotation = { org, number: Number(number), position: Number(position), secret, grace: grace * 3600 };
    return carryOut(notifications.rotateWebhookSecret, dependencies, rotation, (rotated, isRemembered) => {
      if (rotated.outcome === 'webhook not found') {
        throw new ApiError(webhookNotFound, { values: { org, number, position } });
      }
      const expiresAt = rotated.secrets[1]?.expiresAt ?? null;
      const body = { secret: isRemembered ? '' : rotated.secret, grace_period_expires_at: expiresAt };
      return { status: 201, body };
    });
  });
}

/**
 * Converts a notification to the response of operation 8. Times are whole seconds (interface, Environment
 * notification). A notification by e-mail counts as failing if no mail server is configured.
 */
function toNotificationResponse(
  record: NotificationRecord,
  { sendsMail }: Pick<RouteDependencies, 'sendsMail'>,
): Notification {
  const { targets } = record;
  const lastSuccessAt = Math.max(0, ...targets.map((target) => target.lastSuccessAt ?? 0));
  return {
    number: record.number,
    name: record.name,
    type: 'env',
    environments: [...record.environments],
    triggers: [...record.triggers],
    targets: targets.map(({ target }) => redactTarget(target)),
    created_at: Math.floor(record.createdAt),
    last_modified_at: Math.floor(record.lastModifiedAt),
    ...(lastSuccessAt === 0 ? {} : { last_success_timestamp: Math.floor(lastSuccessAt) }),
    created_by: record.createdBy,
    is_created_from_slack_app: false,
    is_failing: targets.some(({ target, attempts }) => attempts > 0 || (target.type === 'EMAIL' && !sendsMail)),
  };
}

/** The response to creating or changing a notification: the only time that the secrets of its webhooks are shown. */
function toSavedResponse(
  { notification, known }: notifications.SavedNotification,
  isRemembered: boolean,
  dependencies: RouteDependencies,
): Notification {
  const targets = notification.targets.map(({ target, secrets }, index) => {
    const secret = isRemembered || index < known ? undefined : secrets[0]?.secret;
    return { ...redactTarget(target), ...(secret === undefined ? {} : { secret }) };
  });
  return { ...toNotificationResponse(notification, dependencies), targets };
}

function toAdministeredTarget(state: TargetState, { sendsMail }: RouteDependencies): AdministeredTarget {
  const { position, target, secrets, waiting, attempts, dueAt, lastSuccessAt, lastError } = state;
  return {
    ...redactTarget(target),
    position,
    delivery: {
      waiting,
      failures: attempts,
      next_attempt_at: dueAt ?? null,
      last_success_at: lastSuccessAt ?? null,
      last_error: findProblem(state, sendsMail) ?? null,
      last_error_at: lastError?.at ?? null,
    },
    secrets: secrets.map(({ createdAt, expiresAt }) => ({ created_at: createdAt, expires_at: expiresAt ?? null })),
  };
}

type Fault = readonly [field: string, rule: string];

/** The error that says what is wrong with the document, in the order of its targets and environments. */
function toRejection(
  { targetFaults, unknownEnvironments }: notifications.RejectedNotification,
  environments: readonly string[],
): ApiError {
  return validationError(
    ...[...targetFaults].map(([index, { field, rule }]): Fault => [`targets.${index}${field}`, rule]),
    ...environments.flatMap((environment, index): readonly Fault[] =>
      unknownEnvironments.includes(environment)
        ? [[`environments.${index}`, 'is not an environment of the organization']]
        : [],
    ),
  );
}
