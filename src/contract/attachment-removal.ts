import { defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors } from './errors.ts';
import { maximumTextLength } from './limits.ts';
import { Type } from './schema.ts';

/** Who removed an attachment, when, and why. */
export const attachmentRemoval = Type.Object(
  { at: Type.Number({ description: 'Unix seconds.' }), by: Type.String(), reason: Type.String() },
  { description: 'Only if the file was removed.' },
);

export const noAttachment = {
  status: 404,
  message: "Attestation '{attestation_id}' does not exist in organization '{org}', or has no attachment",
  when: 'The organization has no attestation with that id, or it has no attachment.',
} as const;

export const contentNotRemoved = {
  status: 503,
  message: 'The attachment is no longer shown, but its content could not be deleted; send the request again',
  when: 'The removal is recorded, but the storage of attachments fails. The next start of the service tries again, too.',
} as const;

export const removeAttachment = defineEndpoint('DELETE /attestations/{org}/{attestation_id}/attachment', {
  title: 'Remove the attachment of an attestation',
  body: jsonDocument({ reason: Type.String({ minLength: 1, maxLength: maximumTextLength }) }),
  repetition: { effect: 'idempotent' },
  success: [ok('All attestations of the organization with this file say that it was removed.')],
  errors: [...accessErrors, noAttachment, contentNotRemoved],
});
