import type { Now, RandomBytes } from '../domain/sources.ts';
import type { AttachmentStore } from '../store/attachments.ts';
import type { Store } from '../store/store.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import type { Links } from './links.ts';
import type { ServiceLog } from './log.ts';

/** What routes work with. */
export interface Services {
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
