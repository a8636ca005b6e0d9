import { getNotification, notificationNotFound, type Notification } from '../../contract/notification.ts';
import * as notifications from './notification-use-cases.ts';
import { redactTarget, type NotificationRecord } from './notification.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds operation 8: get a notification. */
export function addNotificationRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, getNotification, requireRole(dependencies, 'read'), async ({ parameters }) => {
    const reference = { org: parameters.org, number: Number(parameters.notification_number) };
    const found = await notifications.findNotification(dependencies, reference);
    if (found === undefined) throw new ApiError(notificationNotFound);
    return { status: 200, body: toNotificationResponse(found, dependencies) };
  });
}

/**
 * Converts a notification to the response of operation 8. Times are whole seconds (interface, Environment
 * notification). A notification by e-mail counts as failing if no mail server is configured.
 */
export function toNotificationResponse(
  record: NotificationRecord,
  { sendsMail }: Pick<RouteDependencies, 'sendsMail'>,
): Notification {
  const cannotBeSent = !sendsMail && record.targets.some(({ type }) => type === 'EMAIL');
  return {
    number: record.number,
    name: record.name,
    type: 'env',
    environments: [...record.environments],
    triggers: [...record.triggers],
    targets: record.targets.map(redactTarget),
    created_at: Math.floor(record.createdAt),
    last_modified_at: Math.floor(record.lastModifiedAt),
    ...(record.lastSuccessAt === undefined ? {} : { last_success_timestamp: Math.floor(record.lastSuccessAt) }),
    created_by: record.createdBy,
    is_created_from_slack_app: false,
    is_failing: record.failing || cannotBeSent,
  };
}
