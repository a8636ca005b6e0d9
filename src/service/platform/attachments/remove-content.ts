import type { ServiceLog } from '../../../runtime/log.ts';
import type { Storage } from '../database/storage.ts';
import type { AttachmentStore } from './attachments.ts';

interface Dependencies {
  readonly storage: Storage;
  readonly attachments: Pick<AttachmentStore, 'remove'>;
}

/**
 * Deletes content that an organization has removed. If another organization still shows it, calls `keep`, which stores
 * it again if it was deleted before its record was written. The transaction locks the digest, so that no two processes
 * do this at the same time, and can be repeated.
 *
 * @throws StorageError
 */
export function settleContent(
  { storage, attachments }: Dependencies,
  digest: string,
  keep = (): Promise<void> => Promise.resolve(),
): Promise<void> {
  return storage.transaction(
    `attachment ${digest}`,
    async (records) => {
      await ((await records.attestations.isAttached(digest)) ? keep() : attachments.remove(digest));
      await records.removedAttachments.finish(digest);
    },
    { mayExceedQuotas: true },
  );
}

/** Deletes the content of removed attachments that is left after a crash or a failure of the storage. Never rejects. */
export async function settleUnfinished(dependencies: Dependencies, log: ServiceLog): Promise<void> {
  try {
    const { storage } = dependencies;
    const digests = await storage.read(({ removedAttachments }) => removedAttachments.listUnfinished());
    for (const digest of digests) await settleContent(dependencies, digest);
  } catch (error) {
    log.error('the content of removed attachments could not be deleted; the next start tries again', error);
  }
}
