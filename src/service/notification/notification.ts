import type { NotificationTarget, Trigger } from '../../contract/notification.ts';
import type { EnvironmentEvent } from '../environment/environment-event.ts';
import type { SigningSecret } from './webhook-secret.ts';

/** Notifications and their deliveries. All times are in Unix seconds, with a fraction. */

export interface NewNotification {
  readonly org: string;
  readonly name: string;
  readonly environments: readonly string[];
  readonly triggers: readonly Trigger[];
  readonly createdAt: number;
  readonly createdBy: string;
}

/** A stored notification with the state of its deliveries. */
export interface NotificationRecord extends NewNotification {
  /** Unique within the organization, counted from 1, never reused. */
  readonly number: number;
  /** When it was created or last changed. */
  readonly lastModifiedAt: number;
  /** By position. */
  readonly targets: readonly TargetState[];
}

export interface TargetState {
  /** Identifies the target within the notification; never changes. */
  readonly position: number;
  readonly target: NotificationTarget;
  /** The signing secrets of a webhook, latest first. */
  readonly secrets: readonly SigningSecret[];
  readonly waiting: number;
  /** The number of failed attempts since the last success. */
  readonly attempts: number;
  /** When the first waiting message is due; undefined if none waits. */
  readonly dueAt?: number | undefined;
  readonly lastSuccessAt?: number | undefined;
  /** Why the latest attempt failed; undefined if it succeeded. */
  readonly lastError?: { readonly reason: string; readonly at: number } | undefined;
}

export interface TargetReference {
  readonly org: string;
  readonly number: number;
  /** The index of the target in the notification. */
  readonly position: number;
}

/** A target with a delivery that is due. */
export interface DueTarget extends TargetReference {
  readonly failing: boolean;
}

/** An event to deliver to one target of a notification. */
export interface Delivery extends TargetReference {
  readonly sequence: number;
  readonly target: NotificationTarget;
  readonly event: EnvironmentEvent;
  /** The event as it is stored. */
  readonly eventText: string;
  /** The number of failed attempts since the last success. */
  readonly attempts: number;
  /** The signing secrets of a webhook, latest first. */
  readonly secrets: readonly SigningSecret[];
}

export interface DeliveryFailure {
  /** The reason; contains no secret. */
  readonly reason: string;
  readonly at: number;
  /** The time of the next attempt. */
  readonly until: number;
}

/** Why a service without a mail server cannot send e-mail. */
export const noMailServer = 'the service was started without --smtp-url and --smtp-from';

const firstDelaySeconds = 10;
const maximumDelaySeconds = 3600;
/** Three days, so that an outage over a weekend loses nothing. */
const maximumRetrySeconds = 3 * 24 * 3600;

/** The delay in seconds before the next attempt after so many failures in a row: doubled each time, up to an hour. */
export function retryDelay(attempts: number): number {
  return Math.min(maximumDelaySeconds, firstDelaySeconds * 2 ** Math.max(0, attempts - 1));
}

/** The number of consecutive failures within that time. */
const maximumAttempts = countAttempts(maximumRetrySeconds);

function countAttempts(seconds: number): number {
  let [failures, time] = [1, 0];
  for (; time + retryDelay(failures) <= seconds; failures += 1) time += retryDelay(failures);
  return failures;
}

/**
 * Whether to give up on an event: after three days of failures. Both the clock and the number of failures must indicate
 * it, so that a clock that is wrong for a minute does not drop anything. An event in the future counts as old.
 *
 * @param attempts consecutive failures, including the current one
 */
export function isStale(event: EnvironmentEvent, now: number, attempts: number): boolean {
  const age = now - event.timestamp;
  return attempts >= maximumAttempts && (age > maximumRetrySeconds || age < 0);
}

/**
 * Why the latest message did not reach a target, or why the next one cannot be sent, without a full stop; undefined if
 * nothing is known to be wrong.
 */
export function findProblem(
  { target, lastError }: Pick<TargetState, 'target' | 'lastError'>,
  sendsMail: boolean,
): string | undefined {
  return lastError?.reason ?? (target.type === 'EMAIL' && !sendsMail ? noMailServer : undefined);
}

/** Why a target cannot be used: the rule that it, or a field of it, breaks. */
export interface TargetFault {
  readonly field: '' | '.webhook';
  readonly rule: string;
}

/** Finds out why a target cannot be used. A URL with credentials would reveal them to all readers. */
export function findTargetFault(target: NotificationTarget, sendsMail: boolean): TargetFault | undefined {
  if (target.type === 'EMAIL') return sendsMail ? undefined : { field: '', rule: `cannot be used: ${noMailServer}` };
  const { webhook } = target;
  if (webhook === redactAddress(webhook))
    return { field: '.webhook', rule: 'is shortened as in an answer; send the whole URL' };
  const url = URL.parse(webhook);
  const isUsable = url !== null && url.username === '' && url.password === '';
  return isUsable ? undefined : { field: '.webhook', rule: 'must be an http(s) URL without credentials' };
}

/** A target without secrets: the path of a webhook URL can be one. */
export function redactTarget(target: NotificationTarget): NotificationTarget {
  return target.type === 'EMAIL' ? target : { ...target, webhook: redactAddress(target.webhook) };
}

/** The origin of a URL, which is not secret, followed by `/…`. */
export function redactAddress(address: string): string {
  return `${URL.parse(address)?.origin ?? ''}/…`;
}
