import type { KeyObject } from 'node:crypto';
import type { ServiceLog } from '../../../runtime/log.ts';
import type { KeyUses } from '../../account/background/key-uses.ts';
import type { GithubApp } from '../../github/github-app.ts';
import type { AttachmentStore } from '../attachments/attachments.ts';
import type { UseCaseDependencies } from '../judging/use-case-dependencies.ts';
import type { Links } from '../links.ts';
import type { FailedAuthentications } from './authentication/failed-authentications.ts';
import type { LargeReads } from './bodies/large-reads.ts';

export interface RouteDependencies extends UseCaseDependencies {
  readonly attachments: AttachmentStore;
  readonly links: Links;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  /** Undefined if there is no GitHub App. */
  readonly github: GithubApp | undefined;
  /** The keys that sign transparency logs, the current one first; undefined if there is none. */
  readonly signingKeys: readonly KeyObject[] | undefined;
  readonly log: ServiceLog;
  readonly failures: FailedAuthentications;
  readonly keyUses: KeyUses;
  readonly largeReads: LargeReads;
  /** What was missing at the start, with the remedy. */
  readonly startRemarks: readonly string[];
}
