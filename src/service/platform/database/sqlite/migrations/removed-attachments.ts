/**
 * The attachments that organizations removed. `is_finished` is 1 if the content was deleted, or stays because another
 * organization shows it.
 */
export const removedAttachments = `
CREATE TABLE removed_attachments (
  org TEXT NOT NULL REFERENCES organizations,
  attachment_digest TEXT NOT NULL,
  removed_at REAL NOT NULL,
  removed_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  is_finished INTEGER NOT NULL,
  PRIMARY KEY (org, attachment_digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX removed_attachments_by_digest ON removed_attachments (attachment_digest);
CREATE INDEX removed_attachments_unfinished ON removed_attachments (is_finished, attachment_digest);
`;
