import { Type } from '../../contract/schema.ts';
import { defineEndpoint, noQuery } from '../../contract/endpoint.ts';
import { commonErrors } from '../../contract/errors.ts';
import { orgName } from '../../contract/names.ts';
import {
  getNotification,
  notification,
  notificationNotFound,
  notificationPayload,
} from '../../contract/notification.ts';
import { administrationErrors } from './errors.ts';

/** Create a notification. */
export const createNotification = defineEndpoint({
  title: 'Create environment notification',
  method: 'POST',
  path: '/organizations/{org}/notifications',
  parameters: Type.Object({ org: orgName }),
  query: noQuery,
  body: { kind: 'json', schema: notificationPayload },
  repetition: { effect: 'appends', remedy: 'Look whether it is there before you repeat the request.' },
  success: [{ status: 201, description: 'The notification was created.', schema: notification }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, administrationErrors.organizationNotFound],
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
