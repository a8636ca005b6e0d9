import type { NewNotification, NotificationRecord, TargetState } from '../domain/notifications.ts';
import type { SigningSecret } from '../domain/webhook-secret.ts';

/** One target of a notification. */
export interface TargetReference {
  readonly org: string;
  /** The number of the notification. */
  readonly number: number;
  /** The index of the target in the notification. */
  readonly position: number;
}

/** Reads notifications, without deleted ones. */
export interface NotificationReader {
  find(org: string, number: number): Promise<NotificationRecord | undefined>;
  /** The targets of a notification by their position; undefined if there is no such notification. */
  findTargets(org: string, number: number): Promise<readonly TargetState[] | undefined>;
}

/** Reads and writes notifications. */
export interface NotificationWriter extends NotificationReader {
  /**
   * Inserts a notification and returns its number. Its organization must exist.
   *
   * @param secrets the signing secrets of webhooks, by the position of the target
   */
  insert(notification: NewNotification, secrets: ReadonlyMap<number, SigningSecret>): Promise<number>;
  replaceSecrets(target: TargetReference, secrets: readonly SigningSecret[]): Promise<void>;
  /** Deletes the notification with its targets and their deliveries. Its number is not reused. */
  delete(org: string, number: number, deletedAt: number): Promise<'deleted' | 'not found'>;
}
