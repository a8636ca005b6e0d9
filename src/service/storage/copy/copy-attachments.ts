import { join } from 'node:path';
import { DamagedAttachmentError, type AttachedContent, type AttachmentStore } from '../attachments.ts';
import { collectDamaged, type DamagedAttachment } from '../collect-damaged.ts';
import { attachmentPath } from '../files/attachment-layout.ts';
import { attachmentsFolder } from '../files/data-folder.ts';
import { openVerified } from '../files/verified-file.ts';
import { toStartError } from '../start-error.ts';

/** The number of attachments that are copied at the same time. */
const concurrency = 4;

/** Where attachments are copied to. */
export interface AttachmentTarget {
  readonly attachments: AttachmentStore;
  /** Its address for messages, without secrets. */
  readonly shown: string;
}

/**
 * Copies attachments of a data folder, and compares each with its digest. Those that the target has already are kept.
 *
 * @param onCopied called after each attachment
 * @returns those that are damaged in the folder; they are not copied
 * @throws StartError if the folder or the target cannot be used
 */
export function copyAttachments(
  contents: IterableIterator<AttachedContent>,
  dataFolder: string,
  { attachments, shown }: AttachmentTarget,
  onCopied: (content: AttachedContent) => void,
): Promise<readonly DamagedAttachment[]> {
  const folder = join(dataFolder, attachmentsFolder);
  return collectDamaged(contents, concurrency, async (content) => {
    const file = await at(folder, () => openVerified(attachmentPath(folder, content.digest), content));
    const received = await at(folder, () => attachments.receive(file.stream()));
    try {
      await at(shown, () => received.keep());
    } finally {
      await received.discard();
    }
    onCopied(content);
  });
}

/** Compares copied attachments with their digests; returns the damaged ones. */
export function verifyAttachments(
  contents: IterableIterator<AttachedContent>,
  { attachments, shown }: AttachmentTarget,
): Promise<readonly DamagedAttachment[]> {
  return collectDamaged(contents, concurrency, (content) => at(shown, () => attachments.verify(content)));
}

/** Converts errors to a `StartError` that names the place, except for damaged content. */
async function at<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DamagedAttachmentError ? error : toStartError(error, place);
  }
}
