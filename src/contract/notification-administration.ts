import { created, defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors, additionErrors } from './errors.ts';
import { notification, notificationNotFound, notificationPayload, webhookSecret } from './notification.ts';
import { type Static, strictObject, Type } from './schema.ts';

export const webhookNotFound = {
  status: 404,
  message: "Notification {number} of organization '{org}' has no webhook at position {position}",
  when: 'There is no such notification, or the target at that position is not a webhook.',
} as const;

const time = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

/** A target with the state of its deliveries. */
const administeredTarget = Type.Object({
  type: Type.String(),
  position: Type.Integer({ description: 'Identifies the target within the notification.' }),
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

export type AdministeredTarget = Static<typeof administeredTarget>;

/** Create a notification. Only this response shows a generated secret. */
export const createNotification = defineEndpoint('POST /organizations/{org}/environments_notifications', {
  title: 'Create environment notification',
  body: { kind: 'json', schema: notificationPayload },
  repetition: { effect: 'appends', volatile: [], remedy: 'List the notifications before you send the request again.' },
  success: [created('The notification was created.', notification)],
  errors: additionErrors,
});

export const listNotifications = defineEndpoint('GET /organizations/{org}/environments_notifications', {
  title: 'List environment notifications',
  success: [ok('All notifications by number.', Type.Array(notification))],
});

/** A change of a notification: only the given fields change. */
const notificationChange = strictObject({
  name: Type.Optional(notificationPayload.properties.name),
  environments: Type.Optional(notificationPayload.properties.environments),
  triggers: Type.Optional(notificationPayload.properties.triggers),
  targets: Type.Optional(notificationPayload.properties.targets),
});

/** Change a notification. Only this response shows the generated secrets of new webhooks. */
export const updateNotification = defineEndpoint(
  'PATCH /organizations/{org}/environments_notifications/{notification_number}',
  {
    title: 'Update environment notification',
    body: { kind: 'json', schema: notificationChange },
    repetition: { effect: 'idempotent' },
    success: [ok('The notification as it is now.', notification)],
    errors: [...accessErrors, notificationNotFound],
  },
);

export const inspectNotification = defineEndpoint(
  'GET /organizations/{org}/environments_notifications/{notification_number}/deliveries',
  {
    title: 'Get deliveries of environment notification',
    success: [
      ok(
        'The notification, with the state of its deliveries.',
        Type.Object({ ...notification.properties, targets: Type.Array(administeredTarget) }),
      ),
    ],
    errors: [...accessErrors, notificationNotFound],
  },
);

/** The default grace period of a previous secret, in hours. */
export const defaultSecretGraceHours = 24;

/** Give a webhook a new secret. The previous one stays valid for the grace period. */
export const rotateWebhookSecret = defineEndpoint(
  'POST /organizations/{org}/environments_notifications/{notification_number}/targets/{position}/secret',
  {
    title: 'Rotate webhook secret',
    body: jsonDocument({
      secret: Type.Optional(webhookSecret),
      grace_period_hours: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 168,
          description: `How many hours the previous secret is used as well. Default: ${defaultSecretGraceHours}.`,
        }),
      ),
    }),
    repetition: {
      effect: 'appends',
      volatile: [],
      remedy: 'Rotate it again: the secret from the lost response expires after its grace period.',
    },
    success: [
      created(
        'The new secret is used from now on.',
        Type.Object({
          secret: Type.String({ description: 'Shown only once.' }),
          grace_period_expires_at: time('Unix seconds; null if there is no previous secret.'),
        }),
      ),
    ],
    errors: [...accessErrors, webhookNotFound],
  },
);

/** Delete a notification. Its pending messages are dropped. */
export const deleteNotification = defineEndpoint(
  'DELETE /organizations/{org}/environments_notifications/{notification_number}',
  {
    title: 'Delete environment notification',
    repetition: { effect: 'idempotent' },
    success: [ok('The notification was deleted.')],
    errors: [...accessErrors, notificationNotFound],
  },
);
