import type { NotificationTarget, Trigger } from '../../contract/notification.ts';
import type { EnvironmentEvent } from './environment-event.ts';
import type { SigningSecret } from './webhook-secret.ts';

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

/** A target of a notification, and how its deliveries fare. */
export interface TargetState {
  readonly target: NotificationTarget;
  /** What a webhook is signed with, the latest first. */
  readonly secrets: readonly SigningSecret[];
  /** How many messages wait. */
  readonly waiting: number;
  /** How often the target has failed since it last took something. */
  readonly attempts: number;
  /** When the first of the waiting ones is due; undefined if none waits. */
  readonly dueAt?: number | undefined;
  readonly lastSuccessAt?: number | undefined;
  /** Why the latest attempt failed; undefined if it did not. */
  readonly lastError?: { readonly reason: string; readonly at: number } | undefined;
}

/** A target that something is to be delivered to now. */
export interface DueTarget {
  readonly org: string;
  /** The notification's. */
  readonly number: number;
  /** The target's place in the notification. */
  readonly position: number;
  /** Whether the latest attempt failed. */
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
  /** What a webhook is signed with, the latest first. */
  readonly secrets: readonly SigningSecret[];
}

/** A delivery that its target has not taken. */
export interface DeliveryFailure {
  /** Why, in words without a secret. */
  readonly reason: string;
  readonly at: number;
  /** How long the target is left alone. */
  readonly until: number;
}

/** Why no e-mail leaves a service that was started without a mail server. */
export const noMailServer = 'the service was started without --smtp-url and --smtp-from';

/** In seconds. */
const firstDelaySeconds = 10;
/** In seconds. */
const maximumDelaySeconds = 3600;
/** In seconds: three days, so that a weekend's outage loses nothing. */
const maximumRetrySeconds = 3 * 24 * 3600;

/** How long a target is left alone after so many failures in a row, in seconds: twice as long each time, up to an hour. */
export function retryDelay(attempts: number): number {
  return Math.min(maximumDelaySeconds, firstDelaySeconds * 2 ** Math.max(0, attempts - 1));
}

/** How many failures in a row there are in that time. */
const maximumAttempts = countAttempts(maximumRetrySeconds);

function countAttempts(seconds: number): number {
  let [failures, time] = [1, 0];
  for (; time + retryDelay(failures) <= seconds; failures += 1) time += retryDelay(failures);
  return failures;
}

/**
 * Whether a target waits longer than its failures say. Only a clock that was set back brings that about; otherwise the
 * target would wait until the clock is where it was.
 */
export function isOverdue(
  { dueAt, attempts }: { readonly dueAt: number; readonly attempts: number },
  now: number,
): boolean {
  return dueAt > now + (attempts === 0 ? 0 : retryDelay(attempts));
}

/**
 * Whether to give up on an event: after three days of failures. Both the clock and the number of failures have to say so,
 * because a clock that is wrong for a minute must not drop anything. An event from the future is as good as old.
 *
 * @param attempts how often the target has failed in a row, this time included
 */
export function isStale(event: EnvironmentEvent, now: number, attempts: number): boolean {
  const age = now - event.timestamp;
  return attempts >= maximumAttempts && (age > maximumRetrySeconds || age < 0);
}

/** Why a target cannot be used. */
export type TargetProblem = 'no mail server' | 'not a plain web address';

/** Why a target cannot be used; undefined if it can. An address with credentials would show them to whoever reads it. */
export function findTargetProblem(target: NotificationTarget, sendsMail: boolean): TargetProblem | undefined {
  if (target.type === 'EMAIL') return sendsMail ? undefined : 'no mail server';
  const url = URL.parse(target.webhook);
  const isUsable = url !== null && url.username === '' && url.password === '';
  return isUsable ? undefined : 'not a plain web address';
}

/** A target without what only its owner may know: the path of a webhook is its secret. */
export function redactTarget(target: NotificationTarget): NotificationTarget {
  return target.type === 'EMAIL' ? target : { ...target, webhook: redactAddress(target.webhook) };
}

/** The origin of an address, which is not secret. */
export function redactAddress(address: string): string {
  return `${URL.parse(address)?.origin ?? ''}/…`;
}
