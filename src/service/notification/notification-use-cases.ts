import { maximumNotifications } from '../../contract/limits.ts';
import type { NotificationPayload, NotificationTarget } from '../../contract/notification.ts';
import type { RandomBytes } from '../../runtime/random.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { defineWrite, type WriteContext } from '../platform/judging/define-write.ts';
import {
  findTargetFault,
  type NotificationRecord,
  type TargetFault,
  type TargetReference,
  type TargetState,
} from './notification.ts';
import type { NewTarget } from './notification-records.ts';
import { newWebhookSecret, rotateSecret, type SigningSecret } from './webhook-secret.ts';

export interface NotificationReference {
  readonly org: string;
  readonly number: number;
}

/** A secret is generated for each webhook without one. */
export interface NotificationToCreate extends NotificationPayload {
  readonly org: string;
  readonly createdBy: string;
}

type TargetToCreate = NotificationPayload['targets'][number];

export interface RejectedNotification {
  readonly outcome: 'rejected';
  /** By the index of the target in the request. */
  readonly targetFaults: ReadonlyMap<number, TargetFault>;
  /** A notification for a misspelt environment would never fire. */
  readonly unknownEnvironments: readonly string[];
}

export interface SavedNotification {
  readonly outcome: 'saved';
  readonly notification: NotificationRecord;
  /** The number of targets that it had before. New targets come after them. */
  readonly known: number;
}

type NotificationContext = WriteContext & {
  readonly randomBytes: RandomBytes;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
};

export const createNotification = defineWrite(
  async (
    transaction,
    { targets, environments, triggers, ...command }: NotificationToCreate,
    { at: createdAt, sendsMail, randomBytes }: NotificationContext,
  ): Promise<SavedNotification | RejectedNotification | { readonly outcome: 'too many' }> => {
    const added = targets.map((target) => toNewTarget(target, randomBytes, createdAt));
    const created = {
      ...command,
      createdAt,
      environments: [...new Set(environments)],
      triggers: [...new Set(triggers)],
    };
    if ((await transaction.notifications.list(created.org)).length >= maximumNotifications)
      return { outcome: 'too many' };
    const fault = await findFault(transaction, { ...created, targets, sendsMail });
    if (fault !== undefined) return fault;
    const number = await transaction.notifications.insert(created, added);
    return findSaved(transaction, { org: created.org, number }, 0);
  },
);

/**
 * The changes of a notification; undefined fields stay as they are. A target that the notification already has keeps its
 * secret and its waiting messages.
 */
export type NotificationChange = NotificationReference & Partial<NotificationPayload>;

export const updateNotification = defineWrite(
  async (
    transaction,
    { org, number, name, environments, triggers, targets }: NotificationChange,
    { at: lastModifiedAt, sendsMail, randomBytes }: NotificationContext,
  ): Promise<SavedNotification | RejectedNotification | { readonly outcome: 'not found' }> => {
    const { notifications } = transaction;
    const known = await notifications.find(org, number);
    if (known === undefined) return { outcome: 'not found' };
    const wanted = { org, environments: environments ?? [], targets: targets ?? [], sendsMail };
    const fault = await findFault(transaction, wanted);
    if (fault !== undefined) return fault;
    await notifications.update({
      ...{ org, number, lastModifiedAt, name: name ?? known.name },
      environments: [...new Set(environments ?? known.environments)],
      triggers: [...new Set(triggers ?? known.triggers)],
    });
    const { kept, added } = splitTargets(known.targets, targets);
    const news = added.map((target) => toNewTarget(target, randomBytes, lastModifiedAt));
    if (targets !== undefined) await notifications.replaceTargets({ org, number }, kept, news);
    return findSaved(transaction, { org, number }, kept.length);
  },
);

async function findSaved(
  { notifications }: WriteTransaction,
  { org, number }: NotificationReference,
  known: number,
): Promise<SavedNotification> {
  const notification = await notifications.find(org, number);
  if (notification === undefined) throw new Error('a notification that was just saved is gone');
  return { outcome: 'saved', notification, known };
}

/** Splits the wanted targets into those that the notification has, by their position, and new ones. */
function splitTargets(
  states: readonly TargetState[],
  wanted: readonly TargetToCreate[] | undefined,
): { readonly kept: readonly number[]; readonly added: readonly TargetToCreate[] } {
  if (wanted === undefined) return { kept: states.map(({ position }) => position), added: [] };
  const left = new Map(states.map(({ position, target }) => [position, JSON.stringify(target)]));
  const kept: number[] = [];
  const added = wanted.filter((target) => {
    const text = 'secret' in target ? undefined : JSON.stringify(withoutSecret(target));
    const [position] = [...left].find(([, known]) => known === text) ?? [];
    if (position === undefined) return true;
    left.delete(position);
    kept.push(position);
    return false;
  });
  return { kept, added };
}

/** Returns why a notification cannot be saved; undefined if it can. */
async function findFault(
  transaction: WriteTransaction,
  notification: {
    readonly org: string;
    readonly environments: readonly string[];
    readonly targets: readonly NotificationTarget[];
    readonly sendsMail: boolean;
  },
): Promise<RejectedNotification | undefined> {
  const { org, environments, targets, sendsMail } = notification;
  const targetFaults = new Map(
    targets.flatMap((target, index) => {
      const fault = findTargetFault(target, sendsMail);
      return fault === undefined ? [] : [[index, fault] as const];
    }),
  );
  const known = await transaction.environments.findHeads(org, environments);
  const unknownEnvironments = environments.filter((environment) => !known.has(environment));
  if (targetFaults.size === 0 && unknownEnvironments.length === 0) return undefined;
  return { outcome: 'rejected', targetFaults, unknownEnvironments };
}

/** Converts a target to its stored form; a webhook without a secret gets a generated one. */
function toNewTarget(target: TargetToCreate, randomBytes: RandomBytes, createdAt: number): NewTarget {
  const secret =
    target.type === 'WEBHOOK' ? { secret: target.secret ?? newWebhookSecret(randomBytes), createdAt } : undefined;
  return { target: withoutSecret(target), secret };
}

/** The target as it is stored: its secret is stored separately, so that no response can include it by accident. */
function withoutSecret(target: TargetToCreate): NotificationTarget {
  if (target.type !== 'WEBHOOK') return target;
  const { type, webhook, payload_version } = target;
  return { type, webhook, payload_version };
}

export interface SecretRotation extends TargetReference {
  /** Generated if undefined. */
  readonly secret?: string | undefined;
  /** How long the previous secret stays valid, in seconds. */
  readonly grace: number;
}

/** The result of `rotateWebhookSecret`. `secrets` are the valid ones, latest first. */
type RotateSecretResult =
  | { readonly outcome: 'rotated'; readonly secret: string; readonly secrets: readonly SigningSecret[] }
  | { readonly outcome: 'webhook not found' };

export const rotateWebhookSecret = defineWrite(
  async (
    { notifications },
    { org, number, position, grace, secret: given }: SecretRotation,
    { at, randomBytes }: WriteContext & { readonly randomBytes: RandomBytes },
  ): Promise<RotateSecretResult> => {
    const secret = given ?? newWebhookSecret(randomBytes);
    const found = await notifications.find(org, number);
    const state = found?.targets.find((known) => known.position === position);
    if (state?.target.type !== 'WEBHOOK') return { outcome: 'webhook not found' };
    const secrets = rotateSecret(state.secrets, secret, { now: at, grace });
    await notifications.replaceSecrets({ org, number, position }, secrets);
    return { outcome: 'rotated', secret, secrets };
  },
);

/** Deletes a notification with its pending messages. Its number is not reused. */
export const deleteNotification = defineWrite(
  ({ notifications }, { org, number }: NotificationReference, { at }): Promise<'deleted' | 'not found'> =>
    notifications.delete(org, number, at),
);
