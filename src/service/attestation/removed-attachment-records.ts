import { defineStatements, Repository } from '../platform/database/database.ts';
import { text } from '../platform/database/rows.ts';
import type { Removal } from './attestation.ts';

/** What is left of an attachment that an organization removed. */
export interface RemovedAttachment extends Removal {
  readonly org: string;
  /** Its SHA-256 in hex. */
  readonly digest: string;
}

/** The condition that the organization of an attestation has not removed its attachment; `a` is its alias. */
export const showsAttachment = `a.attachment_digest IS NOT NULL AND NOT EXISTS (SELECT 1 FROM removed_attachments r
  WHERE r.org = a.org AND r.attachment_digest = a.attachment_digest)`;

const statements = defineStatements('removed_attachments', {
  listDigests: 'SELECT attachment_digest FROM removed_attachments WHERE org = $1',
  listOrganizations: 'SELECT org FROM removed_attachments WHERE attachment_digest = $1',
  listUnfinished: `SELECT DISTINCT attachment_digest FROM removed_attachments WHERE is_finished = 0`,
  insert: `INSERT INTO removed_attachments (org, attachment_digest, removed_at, removed_by, reason, is_finished)
    VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT (org, attachment_digest) DO NOTHING`,
  finish: 'UPDATE removed_attachments SET is_finished = 1 WHERE attachment_digest = $1',
});

export class RemovedAttachmentReader extends Repository {
  listDigests(org: string): Promise<readonly string[]> {
    return this.queryAll(statements.listDigests, [org], (row) => text(row, 'attachment_digest'));
  }

  listOrganizations(digest: string): Promise<readonly string[]> {
    return this.queryAll(statements.listOrganizations, [digest], (row) => text(row, 'org'));
  }

  /** The digests of removed attachments whose content may still have to be deleted. */
  listUnfinished(): Promise<readonly string[]> {
    return this.queryAll(statements.listUnfinished, [], (row) => text(row, 'attachment_digest'));
  }
}

export class RemovedAttachmentWriter extends RemovedAttachmentReader {
  /** Returns false if it was removed before. */
  async insert({ org, digest, at, by, reason }: RemovedAttachment): Promise<boolean> {
    return (await this.change(statements.insert, [org, digest, at, by, reason])) > 0;
  }

  /** Notes that the content is deleted, or stays because other organizations show it. Allowed in any scope. */
  finish(digest: string): Promise<void> {
    return this.run(statements.finish, [digest]);
  }
}
