import { type AttachedContent, type AttachmentFault, DamagedAttachmentError } from './attachments.ts';

/** An attachment that does not match its record. */
export interface DamagedAttachment {
  readonly digest: string;
  readonly fault: AttachmentFault;
}

/**
 * Runs work for each attachment, for several at a time.
 *
 * @returns those for which it threw a DamagedAttachmentError
 */
export async function collectDamaged(
  contents: readonly AttachedContent[],
  concurrency: number,
  work: (content: AttachedContent) => Promise<void>,
): Promise<readonly DamagedAttachment[]> {
  const damaged: DamagedAttachment[] = [];
  const left = contents.values();
  const worker = async (): Promise<void> => {
    for (const content of left) {
      try {
        await work(content);
      } catch (error) {
        if (!(error instanceof DamagedAttachmentError)) throw error;
        damaged.push({ digest: content.digest, fault: error.fault });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return damaged;
}
