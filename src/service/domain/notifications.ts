import type { NotificationTarget, Trigger } from '../../contract/notification.ts';
import type { EnvironmentEvent } from './environment-event.ts';

/** Notifications and their deliveries. Every time is in Unix seconds, with a fraction. */

/** A notification as it is created. */
export interface NewNotification {
  readonly org: string;
  readonly name: string;
  readonly environments: readonly string[];
  readonly triggers: readonly Trigger[];
  readonly targets: readonly NotificationTarget[];
  readonly createdAt: number;
  readonly createdBy: string;
}

/** A notification, and how its deliveries fare. */
export interface NotificationRecord extends NewNotification {
  /** Counted within the organization, from 1, and never given twice. */
  readonly number: number;
  /** The latest delivery to any of its targets; undefined while there was none. */
  readonly lastSuccessAt?: number | undefined;
  /** Whether the latest attempt at any of its targets failed. */
  readonly failing: boolean;
}

/** An event on its way to one target of a notification. */
export interface Delivery {
  readonly org: string;
  /** The notification's. */
  readonly number: number;
  /** The target's place in the notification. */
  readonly position: number;
  readonly sequence: number;
  readonly target: NotificationTarget;
  readonly event: EnvironmentEvent;
  /** How often the target has failed since it last took something. */
  readonly attempts: number;
}

/** In seconds. */
const firstWait = 10;
/** In seconds. */
const longestWait = 3600;
/** In seconds: three days, so that a weekend's outage loses nothing. */
const longestEffort = 3 * 24 * 3600;

/** How long a target is left alone after so many failures in a row, in seconds: twice as long each time, up to an hour. */
export function waitAfter(attempts: number): number {
  return Math.min(longestWait, firstWait * 2 ** Math.max(0, attempts - 1));
}

/** Whether an event has become too old to be of use to anyone: it is dropped after three days of failures. */
export function isStale(event: EnvironmentEvent, now: number): boolean {
  return now - event.timestamp > longestEffort;
}
