import type { NotificationPayload, NotificationTarget, Trigger } from '../../contract/notification.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import {
  findTargetProblem,
  type NotificationRecord,
  type TargetProblem,
  type TargetState,
} from '../domain/notifications.ts';
import { newWebhookSecret, rotateSecret, type SigningSecret } from '../domain/webhook-secret.ts';
import type { TargetReference } from '../storage/notifications.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

/** Identifies a notification. */
export interface NotificationReference {
  readonly org: string;
  readonly number: number;
}

/** A notification to create. */
export interface NotificationToCreate {
  readonly org: string;
  readonly name: string;
  readonly environments: readonly string[];
  readonly triggers: readonly Trigger[];
  /** A secret is generated for each webhook without one. */
  readonly targets: readonly TargetToCreate[];
  readonly createdBy: string;
}

type TargetToCreate = NotificationPayload['targets'][number];

/** The result of `createNotification`. */
export type CreateNotificationResult =
  | {
      readonly outcome: 'created';
      readonly notification: NotificationRecord;
      /** The secrets of the webhooks by the position of their target. */
      readonly secrets: ReadonlyMap<number, SigningSecret>;
    }
  | { readonly outcome: 'organization not found' }
  | {
      readonly outcome: 'rejected';
      /** Why targets cannot be used, by position. */
      readonly targetProblems: ReadonlyMap<number, TargetProblem>;
      /** A notification for a misspelt environment would never fire. */
      readonly unknownEnvironments: readonly string[];
    };

/** The dependencies of `createNotification`. */
export interface NotificationDependencies extends Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'> {
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
}

/** Creates a notification, after checking its targets and environments. */
export function createNotification(
  { storage, now, randomBytes, sendsMail }: NotificationDependencies,
  { targets, environments, triggers, ...command }: NotificationToCreate,
): Promise<CreateNotificationResult> {
  const createdAt = unixSeconds(now());
  const secrets = new Map(
    targets.flatMap((target, position) => {
      if (target.type !== 'WEBHOOK') return [];
      return [[position, { secret: target.secret ?? newWebhookSecret(randomBytes), createdAt }] as const];
    }),
  );
  const targetProblems = new Map(
    targets.flatMap((target, position) => {
      const fault = findTargetProblem(target, sendsMail);
      return fault === undefined ? [] : [[position, fault] as const];
    }),
  );
  const created = {
    ...command,
    createdAt,
    environments: [...new Set(environments)],
    triggers: [...new Set(triggers)],
    targets: targets.map(withoutSecret),
  };
  return storage.transaction(async (transaction) => {
    if (!(await transaction.organizations.exists(created.org))) return { outcome: 'organization not found' };
    const known = await transaction.environments.findHeads(created.org, created.environments);
    const unknownEnvironments = created.environments.filter((environment) => !known.has(environment));
    if (targetProblems.size > 0 || unknownEnvironments.length > 0) {
      return { outcome: 'rejected', targetProblems, unknownEnvironments };
    }
    const number = await transaction.notifications.insert(created, secrets);
    return { outcome: 'created', notification: { ...created, number, failing: false }, secrets };
  });
}

/** The target as it is stored: its secret is stored separately, so that no response can include it by accident. */
function withoutSecret(target: TargetToCreate): NotificationTarget {
  if (target.type !== 'WEBHOOK') return target;
  const { type, webhook, payload_version } = target;
  return { type, webhook, payload_version };
}

/** Operation 8: finds a notification. */
export function findNotification(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, number }: NotificationReference,
): Promise<NotificationRecord | undefined> {
  return storage.read(({ notifications }) => notifications.find(org, number));
}

/** A notification with the state of its deliveries. */
export interface InspectedNotification {
  readonly notification: NotificationRecord;
  /** By position. */
  readonly targets: readonly TargetState[];
}

/** Finds a notification with the state of its deliveries. */
export function inspectNotification(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, number }: NotificationReference,
): Promise<InspectedNotification | undefined> {
  return storage.read(async ({ notifications }) => {
    const notification = await notifications.find(org, number);
    const targets = await notifications.findTargets(org, number);
    return notification === undefined || targets === undefined ? undefined : { notification, targets };
  });
}

/** A webhook whose secret is rotated. */
export interface SecretRotation extends TargetReference {
  /** Generated if undefined. */
  readonly secret?: string | undefined;
  /** How long the previous secret stays valid, in seconds. */
  readonly grace: number;
}

/** The result of `rotateWebhookSecret`. `secrets` are the valid ones, latest first. */
export type RotateSecretResult =
  | { readonly outcome: 'rotated'; readonly secret: string; readonly secrets: readonly SigningSecret[] }
  | { readonly outcome: 'webhook not found' };

/** Gives a webhook a new secret. */
export function rotateWebhookSecret(
  { storage, now, randomBytes }: Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'>,
  { org, number, position, grace, secret = newWebhookSecret(randomBytes) }: SecretRotation,
): Promise<RotateSecretResult> {
  const change = { now: unixSeconds(now()), grace };
  return storage.transaction(async ({ notifications }) => {
    const state = (await notifications.findTargets(org, number))?.[position];
    if (state?.target.type !== 'WEBHOOK') return { outcome: 'webhook not found' };
    const secrets = rotateSecret(state.secrets, secret, change);
    await notifications.replaceSecrets({ org, number, position }, secrets);
    return { outcome: 'rotated', secret, secrets };
  });
}

/** Deletes a notification with its pending messages. Its number is not reused. */
export function deleteNotification(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, number }: NotificationReference,
): Promise<'deleted' | 'not found'> {
  const deletedAt = unixSeconds(now());
  return storage.transaction(({ notifications }) => notifications.delete(org, number, deletedAt));
}
