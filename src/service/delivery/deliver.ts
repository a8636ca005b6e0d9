import { createHash } from 'node:crypto';
import type { Delivery } from '../domain/notifications.ts';
import type { Links } from '../routes/links.ts';
import type { Store } from '../store/store.ts';
import { sendMail, type MailSettings } from './email.ts';
import { payloadOf, subjectOf, wordsOf } from './message.ts';
import { DeliveryFault, postJson, type Web } from './post.ts';
import { slackMessage } from './slack.ts';

/** Brings a delivery to its target. Rejects where the target has not taken it. */
export type Deliver = (delivery: Delivery, signal: AbortSignal) => Promise<void>;

/** What delivering needs. */
export interface DeliveryMeans {
  readonly store: Pick<Store, 'findArtifact'>;
  readonly links: Links;
  readonly web: Web;
  /** Absent where the service sends no e-mail. */
  readonly mail?: MailSettings | undefined;
}

/** Delivers to each kind of target in its way. */
export function delivererOf({ store, links, web, mail }: DeliveryMeans): Deliver {
  return async (delivery, signal) => {
    const { target, event } = delivery;
    const payload = await payloadOf(event, { store, links });
    switch (target.type) {
      case 'WEBHOOK':
        await postJson(web, target.webhook, payload, { headers: { 'delivery-id': identityOf(delivery) }, signal });
        break;
      case 'SLACK':
        await postJson(web, target.webhook, slackMessage(wordsOf(payload)), { signal });
        break;
      case 'EMAIL': {
        if (mail === undefined) throw new DeliveryFault('the service was started without --smtp-url and --smtp-from');
        await sendMail(
          mail,
          { recipients: target.recipients, subject: subjectOf(event), text: wordsOf(payload) },
          signal,
        );
      }
    }
  };
}

/**
 * The same for every attempt at one delivery and different for every other, so that a receiver can tell a repetition (at
 * least once means that there can be one).
 */
function identityOf({ org, number, position, event }: Delivery): string {
  return createHash('sha256')
    .update(JSON.stringify([org, number, position, event]))
    .digest('hex');
}
