import type { KeyUses } from '../application/key-uses.ts';
import type { UseCaseDependencies } from '../application/use-case-dependencies.ts';
import type { Links } from '../domain/links.ts';
import type { ServiceLog } from '../../runtime/log.ts';
import type { AttachmentStore } from '../storage/attachments.ts';
import type { FailedAuthentications } from './authentication/failed-authentications.ts';

/** What handlers depend on. */
export interface RouteDependencies extends UseCaseDependencies {
  readonly attachments: AttachmentStore;
  readonly links: Links;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  readonly log: ServiceLog;
  readonly failures: FailedAuthentications;
  readonly keyUses: KeyUses;
}
