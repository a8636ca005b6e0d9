import { createHash } from 'node:crypto';
import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import type { Links } from '../../platform/links.ts';
import type { Web } from '../../platform/network/permitted-address.ts';
import { toSingleLine } from '../../platform/single-line.ts';
import { type Delivery, noMailServer } from '../notification.ts';
import { signMessage } from '../webhook-secret.ts';
import { DeliveryError, postJson } from './post-json.ts';
import { renderMessage, renderSubject } from './render-message.ts';
import { type MailServer, sendEmail } from './send-email.ts';
import { renderSlackMessage } from './slack-message.ts';
import { type FindArtifact, toWebhookPayload, type WebhookPayload } from './webhook-payload.ts';

/** Sends a notification to its target. Rejects if the target did not accept it. */
export type SendNotification = (delivery: Delivery, signal: AbortSignal) => Promise<void>;

export interface SenderDependencies {
  readonly findArtifact: FindArtifact;
  readonly links: Links;
  readonly web: Web;
  readonly now: Now;
  readonly log: Pick<ServiceLog, 'info'>;
  /** Absent if the service sends no e-mail. */
  readonly mail?: MailServer | undefined;
}

/** Creates the function that sends notifications to all types of targets. */
export function createNotificationSender({
  findArtifact,
  links,
  web,
  mail,
  now,
  log,
}: SenderDependencies): SendNotification {
  return async (delivery, signal) => {
    const { target, event } = delivery;
    const payload = await toWebhookPayload(event, { findArtifact, links });
    switch (target.type) {
      case 'WEBHOOK': {
        const { body, headers } = toSignedWebhook(delivery, payload, unixSeconds(now()));
        await postJson(web, target.webhook, body, { headers, signal });
        break;
      }
      case 'SLACK':
        await postJson(web, target.webhook, JSON.stringify(renderSlackMessage(renderMessage(payload))), { signal });
        break;
      case 'EMAIL': {
        if (mail === undefined) throw new DeliveryError(noMailServer);
        const { recipients } = target;
        const letter = { recipients, subject: renderSubject(event), text: renderMessage(payload) };
        const refused = await sendEmail(mail, letter, signal);
        if (refused.length > 0) log.info(describeRefused(delivery, refused));
      }
    }
  };
}

function describeRefused({ org, number }: Delivery, refused: readonly string[]): string {
  return toSingleLine(
    `notification ${number} of ${org}: the mail server accepted the e-mail, but not for ${refused.join(', ')}`,
  );
}

function toSignedWebhook(
  delivery: Delivery,
  payload: WebhookPayload,
  time: number,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const message = { id: toDeliveryId(delivery), timestamp: Math.floor(time), body: JSON.stringify(payload) };
  const signature = signMessage(message, delivery.secrets);
  const headers = { 'webhook-id': message.id, 'webhook-timestamp': String(message.timestamp) };
  return {
    body: message.body,
    headers: signature === undefined ? headers : { ...headers, 'webhook-signature': signature },
  };
}

/**
 * The same for every attempt of a delivery, and unique among deliveries, so that a receiver can recognize duplicates,
 * which at-least-once delivery allows.
 */
function toDeliveryId({ org, number, position, event }: Delivery): string {
  return createHash('sha256')
    .update(JSON.stringify([org, number, position, event]))
    .digest('hex');
}
