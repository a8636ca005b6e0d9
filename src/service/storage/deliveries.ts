import type { Trigger } from '../../contract/notification.ts';
import type { EnvironmentEvent } from '../domain/environment-event.ts';
import type { Delivery, DeliveryFailure, DueTarget } from '../domain/notifications.ts';
import type { TargetReference } from './notifications.ts';

/** A target of a notification that listens to an environment. */
export interface ListeningTarget extends TargetReference {
  readonly trigger: Trigger;
}

/** A target with waiting deliveries. */
export interface WaitingTarget extends TargetReference {
  readonly dueAt: number;
  /** The number of failed attempts since the last success. */
  readonly attempts: number;
}

/** A delivery to add to the outbox. */
export interface NewDelivery extends TargetReference {
  readonly event: EnvironmentEvent;
}

/** How long a claim lasts that is not ended, in seconds: longer than a delivery may take. */
export const claimSeconds = 60;

/** Who claims targets, and when. */
export interface Claim {
  readonly now: number;
  /** Identifies the process among those that deliver. */
  readonly claimant: string;
}

/** Which targets to list. */
export interface DueQuery extends Claim {
  /** Per organization, the maximum number of targets whose latest attempt failed, and of other targets. */
  readonly limit: number;
}

/** Reads the outbox: the deliveries that wait for targets of notifications. */
export interface DeliveryReader {
  /** The targets whose notifications listen to the environment; most environments have none. */
  listListeners(org: string, environment: string): Promise<readonly ListeningTarget[]>;
  /**
   * The targets with a delivery that is due, longest waiting first. Targets that another process has claimed are left
   * out.
   */
  listDue(query: DueQuery): Promise<readonly DueTarget[]>;
  /** The targets with a delivery that is due after a time. */
  listDueAfter(time: number): Promise<readonly WaitingTarget[]>;
  /** When the next delivery after a time becomes due; undefined if there is none. */
  findNextDue(after: number): Promise<number | undefined>;
  /** The first waiting delivery of a target, in the order of events; undefined if there is none. */
  findFirst(target: TargetReference): Promise<Delivery | undefined>;
}

/** Reads and writes the outbox. */
export interface DeliveryWriter extends DeliveryReader {
  /**
   * Claims targets for a process, so that no other one delivers to them at the same time. Returns those that are due
   * and were not claimed by another process. The process itself can claim a target again: it may have lost the answer
   * to its claim. A claim ends when the result of the delivery is recorded, when it is released, or after
   * `claimSeconds`, because its process may have ended. A storage that only one process can use returns all, and
   * changes nothing. Allows the scope `concurrent`.
   */
  claim<Target extends TargetReference>(targets: readonly Target[], claim: Claim): Promise<readonly Target[]>;
  /** Ends a process's claims of deliveries that have no result. Allows the scope `concurrent`. */
  release(targets: readonly TargetReference[], claimant: string): Promise<void>;
  /** Appends deliveries to the queues of their targets, in this order. They are due at the time of their event. */
  insert(deliveries: readonly NewDelivery[]): Promise<void>;
  delete(delivery: Delivery): Promise<void>;
  setDue(targets: readonly TargetReference[], dueAt: number): Promise<void>;
  /** Records a successful delivery. The next delivery of the target, if any, is due now. */
  recordSuccess(target: TargetReference, at: number): Promise<void>;
  /** Records a failed attempt. The next delivery of the target, if any, is due at the failure's `until`. */
  recordFailure(target: TargetReference, failure: DeliveryFailure): Promise<void>;
}
