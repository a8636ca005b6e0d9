import type { Delivery, NewNotification, NotificationRecord } from '../domain/notifications.ts';

/** Where notifications and their deliveries are kept; the rules of `Store` hold. */
export interface NotificationStore {
  /** Answers the number that it was given. */
  createNotification(notification: NewNotification): Promise<number | 'organization not found'>;
  findNotification(org: string, number: number): Promise<NotificationRecord | undefined>;
  /** What is on its way for it is dropped; its number is not given again. */
  deleteNotification(org: string, number: number, deletedAt: number): Promise<'deleted' | 'not found'>;

  /**
   * What is to be delivered now: the first delivery of each target that is due, those that wait longest first. The
   * deliveries of one target come in the order of their events.
   */
  dueDeliveries(now: number, limit: number): Promise<readonly Delivery[]>;
  /** When the next delivery is due; undefined while there is none. */
  nextDelivery(): Promise<number | undefined>;
  /** Makes due now what is overdue after the clock was set back (`isOverdue`). */
  rearmDeliveries(now: number): Promise<void>;
  /** The target has taken it. Its next delivery is due at once. */
  completeDelivery(delivery: Delivery, at: number): Promise<void>;
  /** The target has not taken it, and is left alone until then. */
  postponeDelivery(delivery: Delivery, until: number): Promise<void>;
  /** The target has not taken it and will not be asked again; its next delivery waits until then. */
  dropDelivery(delivery: Delivery, until: number): Promise<void>;
  /** Calls the listener after every write that may have made a delivery due. One at a time. */
  onDeliveries(listener: () => void): void;
}
