import type {
  Delivery,
  DeliveryFailure,
  DueTarget,
  NewNotification,
  NotificationRecord,
  TargetState,
} from '../domain/notifications.ts';
import type { SigningSecret } from '../domain/webhook-secret.ts';

/** Where notifications and their deliveries are kept; the rules of `Store` hold. */
export interface NotificationStore {
  /**
   * Returns the number that it was given.
   *
   * @param secrets what the webhooks are signed with, by the position of the target
   */
  createNotification(
    notification: NewNotification,
    secrets?: ReadonlyMap<number, SigningSecret>,
  ): Promise<number | 'organization not found'>;
  findNotification(org: string, number: number): Promise<NotificationRecord | undefined>;
  /** The targets of a notification by their position; undefined if there is no such notification. */
  findTargets(org: string, number: number): Promise<readonly TargetState[] | undefined>;
  /** Replaces the secrets of a webhook by what `change` makes of them; only if the target is a webhook. */
  changeSecrets(
    target: Omit<DueTarget, 'failing'>,
    change: (secrets: readonly SigningSecret[]) => readonly SigningSecret[],
  ): Promise<readonly SigningSecret[] | 'not found'>;
  /** What is on its way for it is dropped; its number is not given again. */
  deleteNotification(org: string, number: number, deletedAt: number): Promise<'deleted' | 'not found'>;

  /**
   * The targets that something is to be delivered to now, those that wait longest first. For each organization at most so
   * many whose latest attempt failed, and as many others.
   */
  dueTargets(now: number, limit: number): Promise<readonly DueTarget[]>;
  /** The first delivery that waits for a target, in the order of the events; undefined if none does any more. */
  firstDelivery(target: DueTarget): Promise<Delivery | undefined>;
  /** When the next delivery becomes due after a time; undefined if none does. */
  nextDue(after: number): Promise<number | undefined>;
  /** Makes due now what is overdue after the clock was set back (`isOverdue`). */
  rearmDeliveries(now: number): Promise<void>;
  /** The target has taken it. Its next delivery is due at once. */
  completeDelivery(delivery: Delivery, at: number): Promise<void>;
  /** The target has not taken it, and is called again later. */
  postponeDelivery(delivery: Delivery, failure: DeliveryFailure): Promise<void>;
  /** The target has not taken it and will not be asked again; its next delivery waits. */
  dropDelivery(delivery: Delivery, failure: DeliveryFailure): Promise<void>;
  /** Calls the listener after every write that may have made a delivery due. One at a time. */
  onDeliveries(listener: () => void): void;
}
