import type { Trigger } from '../../../contract/notification.ts';
import type { NotificationRecord, TargetState } from '../../domain/notifications.ts';
import { number, optionalNumber, text, toSecrets, toTarget, type Row } from '../rows.ts';

/** Converts a row to a notification, with the rows of its targets. */
export function toNotificationRecord(row: Row, targets: readonly Row[]): NotificationRecord {
  const successes = targets.map((target) => optionalNumber(target, 'last_success_at') ?? 0);
  const lastSuccessAt = Math.max(0, ...successes);
  return {
    org: text(row, 'org'),
    number: number(row, 'number'),
    name: text(row, 'name'),
    environments: JSON.parse(text(row, 'environments')) as readonly string[],
    triggers: JSON.parse(text(row, 'triggers')) as readonly Trigger[],
    targets: targets.map(toTarget),
    createdAt: number(row, 'created_at'),
    lastModifiedAt: optionalNumber(row, 'last_modified_at') ?? number(row, 'created_at'),
    createdBy: text(row, 'created_by'),
    ...(lastSuccessAt === 0 ? {} : { lastSuccessAt }),
    failing: targets.some((target) => number(target, 'attempts') > 0),
  };
}

/**
 * Converts a row to a target with the state of its deliveries.
 *
 * @param waiting the number of deliveries that wait for it
 */
export function toTargetState(row: Row, waiting: number): TargetState {
  const lastErrorAt = optionalNumber(row, 'last_error_at');
  return {
    position: number(row, 'position'),
    target: toTarget(row),
    secrets: toSecrets(row),
    waiting,
    attempts: number(row, 'attempts'),
    dueAt: optionalNumber(row, 'due_at'),
    lastSuccessAt: optionalNumber(row, 'last_success_at'),
    lastError: lastErrorAt === undefined ? undefined : { reason: text(row, 'last_error'), at: lastErrorAt },
  };
}
