import { defineStatements, Repository } from '../platform/database/database.ts';
import { number } from '../platform/database/rows.ts';
import type { Usage } from './quota.ts';

const statements = defineStatements('usage', {
  find: `SELECT coalesce(max(records), 0) AS records, coalesce(max(attachment_bytes), 0) AS attachment_bytes,
      (SELECT count(*) FROM login_rules r WHERE r.org = $1) AS login_rules,
      (SELECT count(*) FROM api_keys k WHERE k.org = $1 AND k.owner_kind <> 'workflow' AND k.revoked_at IS NULL
        AND k.expires_at > $2) AS keys
    FROM usage WHERE org = $1`,
});

/** Reads what organizations use. Triggers count records and bytes of attachments as they are written. */
export class UsageReader extends Repository {
  /** @param now in Unix seconds; keys that have expired until then do not count */
  async find(org: string, now: number): Promise<Usage> {
    const [row = {}] = await this.query(statements.find, [org, now]);
    return {
      records: number(row, 'records'),
      'attachment-bytes': number(row, 'attachment_bytes'),
      'login-rules': number(row, 'login_rules'),
      keys: number(row, 'keys'),
    };
  }
}
