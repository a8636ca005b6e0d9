import { notificationNumber } from '../contract/names.ts';
import { getNotification as endpoint, type Notification } from '../contract/notification.ts';
import { listAt, textAt } from '../runtime/untrusted-data.ts';
import { formatTime } from './format-time.ts';
import { required } from './inputs/input.ts';
import { schemaText } from './inputs/input-types.ts';
import { defineOperation } from './operation.ts';
import { code, fact, listTable, plain, type Table, type Text } from './report.ts';
import { pluralize } from './sentences.ts';

/** Operation 8: shows a notification: its triggers, its targets, and whether delivery works. */
export const getNotification = defineOperation({
  name: 'get-notification',
  endpoint,
  gate: 'ignore',
  inputs: {
    number: required(
      schemaText(
        'notification-number',
        notificationNumber,
        'the number of a notification, from 1, without leading zeros',
        'Copy the number from the service.',
      ),
    ),
  },
  async run({ number }, { client, org }) {
    const { body } = await client.call(endpoint, { parameters: { org, notification_number: number } });
    return {
      outcome: 'done',
      state: deliveryState(body),
      conclusion: conclude(body, org),
      response: body,
      report: {
        subject: notificationTitle(body),
        facts: [
          ...fact('Organization', org),
          ...fact('Delivery', deliveryLabel(body)),
          ...fact('Last success', formatTime(body.last_success_timestamp)),
          ...fact('Type', body.type),
          ...fact('Environments', body.environments?.join(', ')),
          ...fact('Triggers', body.triggers?.join(', ')),
          ...fact('Created', formatTime(body.created_at)),
          ...fact('Created by', body.created_by),
          ...fact('Created from the Slack app', body.is_created_from_slack_app === true ? 'yes' : undefined),
          ...fact('Last modified', formatTime(body.last_modified_at)),
        ],
        tables: targetsTable(body),
      },
    };
  },
});

function notificationTitle({ number, name }: Notification): string {
  return name === undefined ? `Notification ${number}` : `Notification ${number}, ${name}`;
}

function deliveryState({ is_failing: failing }: Notification): string | undefined {
  if (failing === undefined) return undefined;
  return failing ? 'failing' : 'working';
}

function deliveryLabel(notification: Notification): string {
  if (notification.is_failing === true) return '❌ failing';
  return notification.is_failing === false ? '✅ working' : 'unknown';
}

function conclude(notification: Notification, org: string): string {
  const { is_failing: failing, last_success_timestamp: success, targets } = notification;
  const title = `${notificationTitle(notification)}, in organization ${org}`;
  if (failing === undefined) return `${title} has ${countTargets(targets)}; the service does not say whether it works.`;
  if (!failing) return `${title} works; it has ${countTargets(targets)}.`;
  const last = formatTime(success);
  return `${title} is failing: ${last === undefined ? 'it never reached its targets' : `it last reached its targets at ${last}`}.`;
}

function countTargets(targets: Notification['targets']): string {
  if (targets === undefined) return 'targets that the service does not list';
  return pluralize(targets.length, 'target');
}

function targetsTable({ targets = [] }: Notification): readonly Table[] {
  const rows = targets.map((target): readonly Text[] => [
    plain(textAt(target, 'type') ?? ''),
    code(maskedAddress(target)),
    plain(textAt(target, 'payload_version') ?? ''),
  ]);
  return listTable('Targets', ['Type', 'Goes to', 'Payload version'], rows);
}

/** Only the origin of a webhook URL, because its path is a secret; or the recipients of an e-mail. */
function maskedAddress(target: unknown): string {
  const webhook = textAt(target, 'webhook');
  if (webhook !== undefined) return URL.canParse(webhook) ? `${new URL(webhook).origin}/…` : '…';
  return listAt(target, 'recipients')
    .filter((recipient) => typeof recipient === 'string')
    .join(', ');
}
