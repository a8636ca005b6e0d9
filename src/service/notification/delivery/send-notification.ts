import { createHash } from 'node:crypto';
import { noMailServer, type Delivery } from '../notification.ts';
import { unixSeconds, type Now } from '../../../runtime/clock.ts';
import { signMessage, type SignedMessage } from '../webhook-secret.ts';
import type { Links } from '../../platform/links.ts';
import { sendEmail, type MailServer } from './send-email.ts';
import { renderMessage, renderSubject } from './render-message.ts';
import { toWebhookPayload, type FindArtifact, type WebhookPayload } from './webhook-payload.ts';
import type { Web } from '../../platform/network/permitted-address.ts';
import { DeliveryError, postJson } from './post-json.ts';
import { renderSlackMessage } from './slack-message.ts';

/** Sends a notification to its target. Rejects if the target did not accept it. */
export type SendNotification = (delivery: Delivery, signal: AbortSignal) => Promise<void>;

export interface SenderDependencies {
  readonly findArtifact: FindArtifact;
  readonly links: Links;
  readonly web: Web;
  readonly now: Now;
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
}: SenderDependencies): SendNotification {
  return async (delivery, signal) => {
    const { target, event } = delivery;
    const payload = await toWebhookPayload(event, { findArtifact, links });
    switch (target.type) {
      case 'WEBHOOK':
        await postWebhook(web, target.webhook, signedMessage(delivery, payload, unixSeconds(now())), signal);
        break;
      case 'SLACK':
        await postJson(web, target.webhook, JSON.stringify(renderSlackMessage(renderMessage(payload))), { signal });
        break;
      case 'EMAIL': {
        if (mail === undefined) throw new DeliveryError(noMailServer);
        await sendEmail(
          mail,
          { recipients: target.recipients, subject: renderSubject(event), text: renderMessage(payload) },
          signal,
        );
      }
    }
  };
}

interface SignedWebhook extends SignedMessage {
  /** Undefined if the target has no secret. */
  readonly signature: string | undefined;
}

function signedMessage(delivery: Delivery, payload: WebhookPayload, time: number): SignedWebhook {
  const message = { id: toDeliveryId(delivery), timestamp: Math.floor(time), body: JSON.stringify(payload) };
  return { ...message, signature: signMessage(message, delivery.secrets) };
}

/** Uses the headers of Standard Webhooks. */
function postWebhook(web: Web, address: string, message: SignedWebhook, signal: AbortSignal): Promise<void> {
  const { id, timestamp, body, signature } = message;
  const signed = signature === undefined ? {} : { 'webhook-signature': signature };
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), ...signed };
  return postJson(web, address, body, { headers, signal });
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
