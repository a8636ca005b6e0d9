import { Type, type Static } from '../../../contract/schema.ts';
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
} from '../../../contract/notification.ts';
import { adminErrors } from './errors.ts';

const time = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

/** A target as the administration sees it, with how its deliveries fare. */
const administeredTarget = Type.Object({
  type: Type.String(),
  delivery: Type.Object({
    waiting: Type.Integer({ description: 'How many messages wait.' }),
    failures: Type.Integer({ description: 'How many attempts failed since the last success.' }),
    next_attempt_at: time('Unix seconds; null if nothing waits.'),
    last_success_at: time('Unix seconds; null if there was none.'),
    last_error: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the latest attempt failed; null if it did not.',
    }),
    last_error_at: time('Unix seconds.'),
  }),
  secrets: Type.Array(
    Type.Object({ created_at: Type.Number(), expires_at: time('Unix seconds; null for the latest.') }),
    {
      description: 'The secrets that a webhook is signed with, the latest first, without the secrets themselves.',
    },
  ),
});

/** A target as the administration sees it. */
export type AdministeredTarget = Static<typeof administeredTarget>;

/** Create a notification. The answer is the only time that a generated secret is shown. */
export const createNotification = defineEndpoint({
  title: 'Create environment notification',
  method: 'POST',
  path: '/organizations/{org}/notifications',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: { kind: 'json', schema: notificationPayload },
  repetition: { effect: 'appends', remedy: 'Look whether it is there before you repeat the request.' },
  success: [{ status: 201, description: 'The notification was created.', schema: notification }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.organizationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Get a notification, with why its deliveries fail. */
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
      description: 'The notification, and how its deliveries fare.',
      schema: Type.Object({ ...notification.properties, targets: Type.Array(administeredTarget) }),
    },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, notificationNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Give a webhook a new secret. The one before it stays valid for a while. */
export const rotateWebhookSecret = defineEndpoint({
  title: 'Rotate webhook secret',
  method: 'POST',
  path: '/organizations/{org}/notifications/{notification_number}/targets/{position}/secret',
  parameters: Type.Object({
    org: orgName,
    notification_number: notificationNumber,
    position: Type.String({ pattern: '^[0-9]{1,4}$', description: 'The place of the target, from 0.' }),
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
            description: 'How long the previous secret signs as well; 24 by default.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  repetition: {
    effect: 'appends',
    remedy: 'Rotate it again: the secret that nobody has seen then ends with its grace period.',
  },
  success: [
    {
      status: 201,
      description: 'The secret signs from now on.',
      schema: Type.Object({
        secret: Type.String({ description: 'Shown once.' }),
        grace_period_expires_at: time('Unix seconds; null if there is no previous secret.'),
      }),
    },
  ],
  errors: [commonErrors.validation, commonErrors.unauthenticated, adminErrors.webhookNotFound],
  authentication: ['bearer'],
  choices: [],
});

/** Delete a notification. What is on its way for it is dropped. */
export const deleteNotification = defineEndpoint({
  title: 'Delete environment notification',
  method: 'DELETE',
  path: '/organizations/{org}/notifications/{notification_number}',
  parameters: getNotification.parameters,
  query: noQuery,
  body: { kind: 'none' },
  repetition: { effect: 'idempotent' },
  success: [{ status: 200, description: 'The notification is gone.', schema: Type.String() }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, notificationNotFound],
  authentication: ['bearer'],
  choices: [],
});
