import { text } from './base/text-type.ts';

/** The attachments that organizations removed; see the script of the same name for SQLite. */
export const removedAttachments = `
CREATE TABLE removed_attachments (
  org ${text} NOT NULL REFERENCES organizations,
  attachment_digest ${text} NOT NULL,
  removed_at double precision NOT NULL,
  removed_by ${text} NOT NULL,
  reason ${text} NOT NULL,
  is_finished integer NOT NULL,
  PRIMARY KEY (org, attachment_digest)
);
CREATE INDEX removed_attachments_by_digest ON removed_attachments (attachment_digest);
CREATE INDEX removed_attachments_unfinished ON removed_attachments (is_finished, attachment_digest);
`;
