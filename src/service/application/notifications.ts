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

/** A notification of an organization. */
export interface NotificationReference {
  readonly org: string;
  readonly number: number;
}

/** A notification that is to be created. */
export interface NotificationToCreate {
  readonly org: string;
  readonly name: string;
  readonly environments: readonly string[];
  readonly triggers: readonly Trigger[];
  /** A webhook without a secret gets a new one. */
  readonly targets: readonly TargetToCreate[];
  readonly createdBy: string;
}

type TargetToCreate = NotificationPayload['targets'][number];

/** What came of creating a notification. */
export type CreateNotificationResult =
  | {
      readonly outcome: 'created';
      readonly notification: NotificationRecord;
      /** The secrets of the webhooks, by the position of the target. */
      readonly secrets: ReadonlyMap<number, SigningSecret>;
    }
  | { readonly outcome: 'organization not found' }
  | {
      readonly outcome: 'rejected';
      /** Why targets cannot be used, by their position. */
      readonly targetProblems: ReadonlyMap<number, TargetProblem>;
      /** A notification for a misspelt environment would never fire. */
      readonly unknownEnvironments: readonly string[];
    };

/** What creating a notification needs. */
export interface NotificationDependencies extends Pick<UseCaseDependencies, 'storage' | 'now' | 'randomBytes'> {
  /** Whether there is a mail server for notifications by e-mail. */
  readonly sendsMail: boolean;
}

/** Creates a notification. */
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

/** The target as it is stored. Its secret is stored separately, so that no response can include it by accident. */
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
  /** By their position. */
  readonly targets: readonly TargetState[];
}

/** Finds a notification, with the state of its deliveries. */
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

/** How the secret of a webhook is rotated. */
export interface SecretRotation extends TargetReference {
  /** Generated if undefined. */
  readonly secret?: string | undefined;
  /** How long the previous secret is used as well, in seconds. */
  readonly grace: number;
}

/** What came of rotating a secret; the secrets are those that are used now, the latest first. */
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

/** Deletes a notification with its pending messages; its number is not given again. */
export function deleteNotification(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, number }: NotificationReference,
): Promise<'deleted' | 'not found'> {
  const deletedAt = unixSeconds(now());
  return storage.transaction(({ notifications }) => notifications.delete(org, number, deletedAt));
}
