import { auditEventTypes, type AuditEventType } from '../../contract/audit-log.ts';
import type { AuditEvent, AuditRecord } from './audit-event.ts';
import { defineStatements, type ListPart, Repository } from '../platform/database/database.ts';
import { number, text, type Row } from '../platform/database/rows.ts';

const columns = 'org, number, type, recorded_at, actor, subject, details';

const statements = defineStatements('audit_log', {
  list: `SELECT ${columns} FROM audit_events WHERE org = $1 ORDER BY number DESC LIMIT $2 OFFSET $3`,
  listType: `SELECT ${columns} FROM audit_events WHERE org = $1 AND type = $2 ORDER BY number DESC LIMIT $3 OFFSET $4`,
  // Numbers have no gaps, because nothing is deleted.
  count: 'SELECT coalesce(max(number), 0) AS total FROM audit_events WHERE org = $1',
  countType: 'SELECT count(*) AS total FROM audit_events WHERE org = $1 AND type = $2',
  append: `INSERT INTO audit_events (${columns})
    VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM audit_events WHERE org = $1), $2, $3, $4, $5, $6)`,
});

export class AuditLogReader extends Repository {
  /** The events of the organization, the latest first. */
  async list(
    org: string,
    type: AuditEventType | undefined,
    { offset, limit }: ListPart,
  ): Promise<readonly AuditRecord[]> {
    const rows =
      type === undefined
        ? await this.database.query(statements.list, [org, limit, offset])
        : await this.database.query(statements.listType, [org, type, limit, offset]);
    return rows.map(toAuditRecord);
  }

  async count(org: string, type: AuditEventType | undefined): Promise<number> {
    const [row = {}] =
      type === undefined
        ? await this.database.query(statements.count, [org])
        : await this.database.query(statements.countType, [org, type]);
    return number(row, 'total');
  }
}

/** Adds to the audit log. Nothing in it can be changed. */
export class AuditLogWriter extends AuditLogReader {
  /** Adds an event with the next number of its organization, which must exist. */
  append({ org, type, at, actor, subject, details }: AuditEvent): Promise<void> {
    return this.database.run(statements.append, [org, type, at, actor, subject, JSON.stringify(details)]);
  }
}

function toAuditRecord(row: Row): AuditRecord {
  const type = auditEventTypes.find((known) => known === row['type']);
  if (type === undefined) throw new TypeError('a stored audit event is damaged');
  return {
    org: text(row, 'org'),
    number: number(row, 'number'),
    type,
    at: number(row, 'recorded_at'),
    actor: text(row, 'actor'),
    subject: text(row, 'subject'),
    // Written by this service.
    details: JSON.parse(text(row, 'details')) as Readonly<Record<string, string>>,
  };
}
