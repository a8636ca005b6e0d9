import type { AuditEventType } from '../../../contract/audit-log.ts';
import type { AuditEvent, AuditRecord } from '../../domain/audit-event.ts';
import type { AuditLogReader, AuditLogWriter } from '../audit-log.ts';
import type { ListPart } from '../list-part.ts';
import { number } from '../rows.ts';
import { toAuditRecord } from '../rows/audit-log.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

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

/** The audit log in PostgreSQL, for reading. */
export class PostgresAuditLogReader implements AuditLogReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async list(
    org: string,
    type: AuditEventType | undefined,
    { offset, limit }: ListPart,
  ): Promise<readonly AuditRecord[]> {
    const rows =
      type === undefined
        ? await this.session.query(statements.list, [org, limit, offset])
        : await this.session.query(statements.listType, [org, type, limit, offset]);
    return rows.map(toAuditRecord);
  }

  async count(org: string, type: AuditEventType | undefined): Promise<number> {
    const [row] =
      type === undefined
        ? await this.session.query(statements.count, [org])
        : await this.session.query(statements.countType, [org, type]);
    return row === undefined ? 0 : number(row, 'total');
  }
}

/** The audit log in PostgreSQL, for adding to it. */
export class PostgresAuditLogWriter extends PostgresAuditLogReader implements AuditLogWriter {
  append({ org, type, at, actor, subject, details }: AuditEvent): Promise<void> {
    return this.session.run(statements.append, [org, type, at, actor, subject, JSON.stringify(details)]);
  }
}
