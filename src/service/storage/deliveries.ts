import type { Trigger } from '../../contract/notification.ts';
import type { EnvironmentEvent } from '../domain/environment-event.ts';
import type { Delivery, DeliveryFailure, DueTarget } from '../domain/notifications.ts';
import type { TargetReference } from './notifications.ts';

/** A target that listens to events of an environment. */
export interface ListeningTarget extends TargetReference {
  readonly trigger: Trigger;
}

/** A target that something waits for. */
export interface WaitingTarget extends TargetReference {
  readonly dueAt: number;
  /** How often the target has failed since it last took something. */
  readonly attempts: number;
}

/** A message for a target. */
export interface NewDelivery extends TargetReference {
  readonly event: EnvironmentEvent;
}

/** The outbox: what is on its way to targets of notifications, as it is read. */
export interface DeliveryReader {
  /** The targets whose notifications fire on events of the environment; none for most environments. */
  listListeners(org: string, environment: string): Promise<readonly ListeningTarget[]>;
  /**
   * The targets that something is to be delivered to now, those that wait longest first. For each organization at most so
   * many whose latest attempt failed, and as many others.
   */
  listDue(now: number, limit: number): Promise<readonly DueTarget[]>;
  /** The targets that something is to be delivered to after a time. */
  listDueAfter(time: number): Promise<readonly WaitingTarget[]>;
  /** When the next delivery becomes due after a time; undefined if none does. */
  findNextDue(after: number): Promise<number | undefined>;
  /** The first delivery that waits for a target, in the order of the events; undefined if none does any more. */
  findFirst(target: TargetReference): Promise<Delivery | undefined>;
}

/** The outbox as it is written. */
export interface DeliveryWriter extends DeliveryReader {
  /** Adds messages, in this order, behind those that wait for their targets. They are due at the time of their event. */
  insert(deliveries: readonly NewDelivery[]): Promise<void>;
  delete(delivery: Delivery): Promise<void>;
  setDue(targets: readonly TargetReference[], dueAt: number): Promise<void>;
  /** The target has taken something. Its next delivery, if any, is due now. */
  recordSuccess(target: TargetReference, at: number): Promise<void>;
  /** The target has not taken something. Its next delivery, if any, is due when the failure says. */
  recordFailure(target: TargetReference, failure: DeliveryFailure): Promise<void>;
}
