import { defineEndpoint, noQuery } from '../../../contract/endpoint.ts';
import { commonErrors } from '../../../contract/errors.ts';
import { orgName } from '../../../contract/names.ts';
import {
  getNotification,
  notification,
  notificationNotFound,
  notificationNumber,
  notificationPayload,
  webhookSecret,
  type NotificationPayload,
} from '../../../contract/notification.ts';
import { Type, type Static } from '../../../contract/schema.ts';
import * as notifications from '../../application/notifications.ts';
import type { CreateNotificationResult } from '../../application/notifications.ts';
import { noMailServer, redactTarget, type TargetProblem, type TargetState } from '../../domain/notifications.ts';
import { toNotificationResponse } from '../api/notifications.ts';
import type { Authenticator } from '../authentication/authentication.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { addRoute, type RouteHost } from '../route.ts';
import { adminErrors } from './admin-errors.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

const time = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

/** A target with the state of its deliveries. */
const administeredTarget = Type.Object({
  type: Type.String(),
  delivery: Type.Object({
    waiting: Type.Integer({ description: 'Number of messages that wait for delivery.' }),
    failures: Type.Integer({ description: 'Number of failed attempts since the last success.' }),
    next_attempt_at: time('Unix seconds; null if nothing waits.'),
    last_success_at: time('Unix seconds; null if no delivery succeeded yet.'),
    last_error: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the latest attempt failed; null if it succeeded.',
    }),
    last_error_at: time('Unix seconds.'),
  }),
  secrets: Type.Array(
    Type.Object({ created_at: Type.Number(), expires_at: time('Unix seconds; null for the latest.') }),
    {
      description:
        'When the secrets of the webhook were created and expire, the latest first. The secrets are not shown.',
    },
  ),
});

/** A target with the state of its deliveries. */
export type AdministeredTarget = Static<typeof administeredTarget>;

/** Create a notification. Only this response shows a generated secret. */
export const createNotification = defineEndpoint({
  title: 'Create environment notification',
  method: 'POST',
  path: '/organizations/{org}/notifications',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: { kind: 'json', schema: notificationPayload },
  repetition: { effect: 'appends', volatile: [], remedy: 'Check whether it exists before you repeat the request.' },
  success: [{ status: 201, description: 'The notification was created.', schema: notification }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.organizationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Get a notification, with the state of its deliveries. */
export const inspectNotification = defineEndpoint({
  title: 'Inspect environment notification',
  method: 'GET',
  path: '/organizations/{org}/notifications/{notification_number}',
  parameters: getNotification.parameters,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [
    {
      status: 200,
      description: 'The notification, with the state of its deliveries.',
      schema: Type.Object({ ...notification.properties, targets: Type.Array(administeredTarget) }),
    },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, notificationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Give a webhook a new secret. The previous one stays valid for the grace period. */
export const rotateWebhookSecret = defineEndpoint({
  title: 'Rotate webhook secret',
  method: 'POST',
  path: '/organizations/{org}/notifications/{notification_number}/targets/{position}/secret',
  parameters: Type.Object({
    org: orgName,
    notification_number: notificationNumber,
    position: Type.String({ pattern: '^[0-9]{1,4}$', description: 'The index of the target, from 0.' }),
  }),
  query: noQuery,
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        secret: Type.Optional(webhookSecret),
        grace_period_hours: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 168,
            description: 'How many hours the previous secret is used as well. Default: 24.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  repetition: {
    effect: 'appends',
    volatile: [],
    remedy: 'Rotate it again: the secret from the lost response expires after its grace period.',
  },
  success: [
    {
      status: 201,
      description: 'The new secret is used from now on.',
      schema: Type.Object({
        secret: Type.String({ description: 'Shown only once.' }),
        grace_period_expires_at: time('Unix seconds; null if there is no previous secret.'),
      }),
    },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.webhookNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Delete a notification. Its pending messages are dropped. */
export const deleteNotification = defineEndpoint({
  title: 'Delete environment notification',
  method: 'DELETE',
  path: '/organizations/{org}/notifications/{notification_number}',
  parameters: getNotification.parameters,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'idempotent' },
  success: [{ status: 200, description: 'The notification was deleted.', schema: Type.String() }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, notificationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** The default grace period of a previous secret, in hours. */
const defaultGraceHours = 24;

/** Creates, shows and deletes notifications, and rotates the secrets of their webhooks. */
export function addAdminNotificationRoutes(
  host: RouteHost,
  dependencies: RouteDependencies,
  authenticator: Authenticator<'administrator'>,
): void {
  addRoute(host, createNotification, authenticator, async ({ caller, parameters: { org }, document }) => {
    const { name, environments, triggers, targets } = document;
    const command = { org, name, environments, triggers, targets, createdBy: caller };
    const created = await notifications.createNotification(dependencies, command);
    switch (created.outcome) {
      case 'created': {
        const { notification: record, secrets } = created;
        const shown = record.targets.map((target, position) => {
          const secret = secrets.get(position)?.secret;
          return { ...redactTarget(target), ...(secret === undefined ? {} : { secret }) };
        });
        return { status: 201, body: { ...toNotificationResponse(record, dependencies), targets: shown } };
      }
      case 'organization not found':
        throw new ApiError(adminErrors.organizationNotFound, { values: { org } });
      case 'rejected':
        throw validationError(...toFaults(document, created));
    }
  });

  addRoute(host, inspectNotification, authenticator, async ({ parameters: { org, notification_number } }) => {
    const found = await notifications.inspectNotification(dependencies, { org, number: Number(notification_number) });
    if (found === undefined) throw new ApiError(notificationNotFound);
    const targets = found.targets.map((target) => toAdministeredTarget(target, dependencies));
    return { status: 200, body: { ...toNotificationResponse(found.notification, dependencies), targets } };
  });

  addRoute(host, rotateWebhookSecret, authenticator, async ({ parameters, document }) => {
    const { org, notification_number: number, position } = parameters;
    const { secret, grace_period_hours: grace = defaultGraceHours } = document;
    const rotated = await notifications.rotateWebhookSecret(dependencies, {
      ...{ org, number: Number(number), position: Number(position) },
      ...{ secret, grace: grace * 3600 },
    });
    if (rotated.outcome === 'webhook not found') {
      throw new ApiError(adminErrors.webhookNotFound, { values: { org, number, position } });
    }
    const { secrets } = rotated;
    return { status: 201, body: { secret: rotated.secret, grace_period_expires_at: secrets[1]?.expiresAt ?? null } };
  });

  addRoute(host, deleteNotification, authenticator, async ({ parameters: { org, notification_number } }) => {
    const reference = { org, number: Number(notification_number) };
    const outcome = await notifications.deleteNotification(dependencies, reference);
    if (outcome === 'not found') throw new ApiError(notificationNotFound);
    return { status: 200, body: 'OK' };
  });
}

function toAdministeredTarget(
  { target, secrets, waiting, attempts, dueAt, lastSuccessAt, lastError }: TargetState,
  { sendsMail }: RouteDependencies,
): AdministeredTarget {
  const cannotBeSent = target.type === 'EMAIL' && !sendsMail ? noMailServer : null;
  return {
    ...redactTarget(target),
    delivery: {
      waiting,
      failures: attempts,
      next_attempt_at: dueAt ?? null,
      last_success_at: lastSuccessAt ?? null,
      last_error: lastError?.reason ?? cannotBeSent,
      last_error_at: lastError?.at ?? null,
    },
    secrets: secrets.map(({ createdAt, expiresAt }) => ({ created_at: createdAt, expires_at: expiresAt ?? null })),
  };
}

type Fault = readonly [field: string, rule: string];

/** What is wrong with the document, in the order of its targets and environments. */
function toFaults(
  { environments }: NotificationPayload,
  { targetProblems, unknownEnvironments }: Extract<CreateNotificationResult, { readonly outcome: 'rejected' }>,
): readonly Fault[] {
  return [
    ...[...targetProblems].map(([position, fault]) => toTargetFault(position, fault)),
    ...environments.flatMap((environment, index): readonly Fault[] =>
      unknownEnvironments.includes(environment)
        ? [[`environments.${index}`, 'is not an environment of the organization']]
        : [],
    ),
  ];
}

function toTargetFault(position: number, fault: TargetProblem): Fault {
  switch (fault) {
    case 'no mail server':
      return [`targets.${position}`, `cannot be used: ${noMailServer}`];
    case 'invalid URL':
      return [`targets.${position}.webhook`, 'must be an http(s) URL without credentials'];
  }
}
