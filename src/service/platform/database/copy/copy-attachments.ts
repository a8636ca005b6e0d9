import { join } from 'node:path';
import { type AttachedContent, type AttachmentStore, DamagedAttachmentError } from '../../attachments/attachments.ts';
import { collectDamaged, type DamagedAttachment } from '../../attachments/collect-damaged.ts';
import { attachmentPath } from '../../attachments/files/attachment-layout.ts';
import { attachmentsFolder } from '../../attachments/files/data-folder.ts';
import { openVerified } from '../../attachments/files/verified-file.ts';
import { toStartError } from '../start-error.ts';

/** The number of attachments that are copied at the same time. */
const concurrency = 4;

/** Where attachments are copied to. */
export interface AttachmentTarget {
  readonly attachments: AttachmentStore;
  /** Its address for messages, without secrets. */
  readonly shown: string;
  /** Converts a storage error to a `StartError` with the address and the remedy. Returns other errors unchanged. */
  readonly toStartError: (error: unknown) => unknown;
}

/**
 * Copies attachments of a data folder, and compares each with its digest. Those that the target has already are kept.
 *
 * @returns those that are damaged in the folder; they are not copied
 * @throws StartError if the folder or the target cannot be used
 */
export function copyAttachments(
  contents: readonly AttachedContent[],
  dataFolder: string,
  { attachments, toStartError: toTargetError }: AttachmentTarget,
  onCopied: (content: AttachedContent) => void,
): Promise<readonly DamagedAttachment[]> {
  const folder = join(dataFolder, attachmentsFolder);
  const toFolderError = (error: unknown): unknown => toStartError(error, folder);
  return collectDamaged(contents, concurrency, async (content) => {
    const file = await named(toFolderError, () => openVerified(attachmentPath(folder, content.digest), content));
    const received = await named(toFolderError, () => attachments.receive(file.stream()));
    try {
      await named(toTargetError, () => received.keep());
    } finally {
      await received.discard();
    }
    onCopied(content);
  });
}

/**
 * Compares copied attachments with their digests.
 *
 * @param onVerified called after each undamaged attachment
 * @returns the damaged ones
 */
export function verifyAttachments(
  contents: readonly AttachedContent[],
  { attachments, toStartError: toTargetError }: AttachmentTarget,
  onVerified: (content: AttachedContent) => void,
): Promise<readonly DamagedAttachment[]> {
  return collectDamaged(contents, concurrency, async (content) => {
    await named(toTargetError, () => attachments.verify(content));
    onVerified(content);
  });
}

/** Converts errors to ones that name the place, except for damaged content. */
async function named<Result>(toNamed: (error: unknown) => unknown, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DamagedAttachmentError ? error : toNamed(error);
  }
}
