import type { ServiceLog } from '../../../runtime/log.ts';
import type { Storage } from '../database/storage.ts';
import type { AttachmentStore } from './attachments.ts';

interface Dependencies {
  readonly storage: Storage;
  readonly attachments: Pick<AttachmentStore, 'remove'>;
}

/**
 * Deletes content that an organization has removed, unless another one shows it; then `keep` stores it again, because it
 * may have been deleted between its arrival and its record. The lock of the digest lets no process do both at once. The
 * transaction may run again, which does no harm.
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

/** Deletes what a crash or a failure of the storage has left of removed attachments. Never rejects. */
export async function settleUnfinished(dependencies: Dependencies, log: ServiceLog): Promise<void> {
  try {
    const { storage } = dependencies;
    const digests = await storage.read(({ removedAttachments }) => removedAttachments.listUnfinished());
    for (const digest of digests) await settleContent(dependencies, digest);
  } catch (error) {
    log.error('the content of removed attachments could not be deleted; the next start tries again', error);
  }
}
