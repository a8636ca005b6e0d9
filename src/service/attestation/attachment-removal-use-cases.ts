import { unixSeconds } from '../../runtime/clock.ts';
import type { ServiceLog } from '../../runtime/log.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { AttachmentStore } from '../platform/attachments/attachments.ts';
import { settleContent } from '../platform/attachments/remove-content.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { StorageError } from '../platform/database/storage-error.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { RemovedAttachment } from './removed-attachment-records.ts';

interface Dependencies extends Pick<UseCaseDependencies, 'storage' | 'now'> {
  readonly attachments: Pick<AttachmentStore, 'remove'>;
  readonly log: ServiceLog;
}

type RemoveAttachmentResult = 'removed' | 'no attachment' | 'content not removed';

/** The maximum length of a reason in the audit log, in characters. */
const maximumShownReason = 1000;

/**
 * Removes the attachment of an attestation from the organization, and from the storage unless another organization shows
 * it. Its digest, and who removed it when and why, stay. Removing it again deletes content that is still stored.
 */
export async function removeAttachment(
  dependencies: Dependencies,
  { id, ...removal }: Pick<RemovedAttachment, 'org' | 'by' | 'reason'> & { readonly id: string },
  request?: KeyedRequest<RemoveAttachmentResult>,
): Promise<OnceResult<RemoveAttachmentResult>> {
  const { storage, now, log } = dependencies;
  const { org, by: actor, reason } = removal;
  const found = await storage.read(({ attestations }) => attestations.findById(org, id));
  const { flow, trail, name, attachment } = found ?? {};
  if (flow === undefined || trail === undefined || name === undefined || attachment === undefined)
    return 'no attachment';
  const { digest } = attachment;
  const at = unixSeconds(now());
  const work = async ({ removedAttachments, auditLog }: WriteTransaction): Promise<RemoveAttachmentResult> => {
    if (!(await removedAttachments.insert({ ...removal, digest, at }))) return 'removed';
    const details = { trail, attestation: name, id, sha256: digest, reason: truncate(reason, maximumShownReason) };
    await auditLog.append({ org, type: 'attachment_removed', at, actor, subject: `flow ${flow}`, details });
    return 'removed';
  };
  const options = { mayExceedQuotas: true };
  const result = await storage.transaction(org, carryOutOnce(dependencies, request, work), options);
  try {
    await settleContent(dependencies, digest);
    return result;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    log.error(`the content of the removed attachment ${digest} could not be deleted`, error);
    return 'content not removed';
  }
}
