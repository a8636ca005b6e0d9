import type { NewNotification, NotificationRecord, TargetState } from '../domain/notifications.ts';
import type { SigningSecret } from '../domain/webhook-secret.ts';

/** One target of a notification. */
export interface TargetReference {
  readonly org: string;
  /** The notification's. */
  readonly number: number;
  /** The target's place in the notification. */
  readonly position: number;
}

/** Notifications as they are read, without those that were deleted. */
export interface NotificationReader {
  find(org: string, number: number): Promise<NotificationRecord | undefined>;
  /** The targets of a notification by their position; undefined if there is no such notification. */
  findTargets(org: string, number: number): Promise<readonly TargetState[] | undefined>;
}

/** Notifications as they are written. */
export interface NotificationWriter extends NotificationReader {
  /**
   * Returns the number that it was given. Its organization exists.
   *
   * @param secrets what the webhooks are signed with, by the position of the target
   */
  insert(notification: NewNotification, secrets: ReadonlyMap<number, SigningSecret>): Promise<number>;
  replaceSecrets(target: TargetReference, secrets: readonly SigningSecret[]): Promise<void>;
  /** Removes it with its targets and their deliveries; its number is not given again. */
  delete(org: string, number: number, deletedAt: number): Promise<'deleted' | 'not found'>;
}
