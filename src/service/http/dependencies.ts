import type { Now } from '../../runtime/clock.ts';
import type { RandomBytes } from '../../runtime/random.ts';
import type { AttachmentStore } from '../storage/attachments.ts';
import type { Store } from '../storage/store.ts';
import type { FailedAuthentications } from './authentication/failed-authentications.ts';
import type { Links } from '../domain/links.ts';
import type { ServiceLog } from '../../runtime/log.ts';

/** What routes work with. */
export interface Dependencies {
  readonly store: Store;
  readonly attachments: AttachmentStore;
  readonly links: Links;
  /** Whether there is a mail server for notifications by e-mail. */
  readonly sendsMail: boolean;
  readonly log: ServiceLog;
  readonly now: Now;
  readonly randomBytes: RandomBytes;
  readonly failures: FailedAuthentications;
}
