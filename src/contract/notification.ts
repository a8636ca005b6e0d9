import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { maximumNameLength, maximumNotificationTargets } from './limits.ts';
import { environmentName } from './names.ts';
import { type Static, strictObject, Type, wholeSeconds, withRule } from './schema.ts';

/** The events that can trigger a notification (interface, Events); the last one is ours. */
export const triggers = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_SCALED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_CHANGED_RULES',
] as const;

export type Trigger = (typeof triggers)[number];

/** The version of the payload that is sent to a webhook. There is only one. */
export const payloadVersion = '1.0';

const webAddress = { pattern: '^https?://[^\\s]+$', maxLength: 2000 } as const;

/** A webhook target (interface, Environment notification). */
export const webhookTarget = strictObject({
  type: Type.Literal('WEBHOOK'),
  webhook: Type.String({ ...webAddress, description: 'The URL that is called.' }),
  payload_version: Type.Literal(payloadVersion),
});

/** A secret that signs webhooks, in the format of Standard Webhooks: 24 to 64 bytes in Base64. */
export const webhookSecret = Type.String({
  pattern:
    '^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$',
  description: '`whsec_` and 24 to 64 random bytes in Base64.',
});

export const webhookTargetPayload = strictObject({
  type: Type.Literal('WEBHOOK'),
  webhook: webhookTarget.properties.webhook,
  payload_version: Type.Literal(payloadVersion),
  secret: Type.Optional(webhookSecret),
});

/** A Slack channel, identified by its incoming webhook. */
export const slackTarget = strictObject({
  type: Type.Literal('SLACK'),
  webhook: Type.String({ ...webAddress, description: 'The URL of the incoming webhook.' }),
});

// One address, without characters that could begin another address or another header.
const emailAddress = withRule(
  Type.String({ pattern: '^[^\\s@<>()\\[\\],;:"\\\\]+@[a-zA-Z0-9.\\-]+$', maxLength: 254 }),
  'must be one e-mail address, such as ops@example.com',
);

export const emailTarget = strictObject({
  type: Type.Literal('EMAIL'),
  recipients: Type.Array(emailAddress, { minItems: 1, maxItems: 50 }),
});

export const notificationTarget = Type.Union([webhookTarget, slackTarget, emailTarget]);

export type NotificationTarget = Static<typeof notificationTarget>;

/**
 * A notification as the service returns it (interface, Environment notification). Targets can be anything here: the
 * interface does not show two of the three kinds, so a client must not require the fields that this service chose.
 */
export const notification = Type.Object({
  number: Type.Integer(),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String({ description: '`env`.' })),
  environments: Type.Optional(Type.Array(Type.String())),
  triggers: Type.Optional(Type.Array(Type.String())),
  targets: Type.Optional(Type.Array(Type.Unknown())),
  created_at: Type.Optional(wholeSeconds()),
  last_modified_at: Type.Optional(wholeSeconds()),
  last_success_timestamp: Type.Optional(wholeSeconds('Unix seconds; absent before the first success.')),
  created_by: Type.Optional(Type.String()),
  is_created_from_slack_app: Type.Optional(Type.Boolean()),
  is_failing: Type.Optional(Type.Boolean()),
});

export type Notification = Static<typeof notification>;

/** A notification as it is created; not part of the interface, which shows no way to create one. */
export const notificationPayload = strictObject({
  name: Type.String({ minLength: 1, maxLength: maximumNameLength }),
  environments: Type.Array(environmentName, { minItems: 1 }),
  triggers: Type.Array(Type.Enum(triggers), { minItems: 1, maxItems: triggers.length }),
  targets: Type.Array(Type.Union([webhookTargetPayload, slackTarget, emailTarget]), {
    minItems: 1,
    maxItems: maximumNotificationTargets,
  }),
});

export type NotificationPayload = Static<typeof notificationPayload>;

/** The response if there is no notification with that number (interface, Errors). */
export const notificationNotFound = {
  status: 404,
  message: 'Action not found',
  when: 'The organization has no notification with that number.',
} as const;

export const getNotification = defineEndpoint(
  'GET /organizations/{org}/environments_notifications/{notification_number}',
  {
    operation: 'get-notification',
    number: 8,
    title: 'Get environment notification',
    success: [ok('The notification.', notification)],
    errors: [...accessErrors, notificationNotFound],
  },
);
