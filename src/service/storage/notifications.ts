import type { NotificationTarget } from '../../contract/notification.ts';
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

/** New fields of a notification. */
export type NotificationUpdate = Pick<
  NotificationRecord,
  'org' | 'number' | 'name' | 'environments' | 'triggers' | 'lastModifiedAt'
>;

/** A target to add. */
export interface NewTarget {
  readonly target: NotificationTarget;
  /** The signing secret of a webhook. */
  readonly secret: SigningSecret | undefined;
}

/** Reads notifications, without deleted ones. */
export interface NotificationReader {
  find(org: string, number: number): Promise<NotificationRecord | undefined>;
  /** The notifications of the organization, sorted by number. */
  list(org: string): Promise<readonly NotificationRecord[]>;
  /** The targets of a notification, sorted by position; undefined if there is no such notification. */
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
  /** Replaces the fields of an existing notification. */
  update(notification: NotificationUpdate): Promise<void>;
  /**
   * Deletes the targets of a notification, with their deliveries, except those at these positions, and adds new ones
   * behind them.
   */
  replaceTargets(
    reference: { readonly org: string; readonly number: number },
    kept: readonly number[],
    added: readonly NewTarget[],
  ): Promise<void>;
  replaceSecrets(target: TargetReference, secrets: readonly SigningSecret[]): Promise<void>;
  /** Deletes the notification with its targets and their deliveries. Its number is not reused. */
  delete(org: string, number: number, deletedAt: number): Promise<'deleted' | 'not found'>;
}
