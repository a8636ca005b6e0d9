import type { AuditEventType } from '../../../contract/audit-log.ts';
import type { AuditEvent, AuditRecord } from '../../domain/audit-event.ts';
import type { AuditLogReader, AuditLogWriter } from '../audit-log.ts';
import type { ListPart } from '../list-part.ts';
import { number } from '../rows.ts';
import { toAuditRecord } from '../rows/audit-log.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  // `+ 0` after limits: SQLite recompiles a statement for every value that is bound directly to a limit.
  list: 'SELECT * FROM audit_events WHERE org = ? ORDER BY number DESC LIMIT ? + 0 OFFSET ? + 0',
  listType: 'SELECT * FROM audit_events WHERE org = ? AND type = ? ORDER BY number DESC LIMIT ? + 0 OFFSET ? + 0',
  // Numbers have no gaps, because nothing is deleted.
  count: 'SELECT coalesce(max(number), 0) AS total FROM audit_events WHERE org = ?',
  countType: 'SELECT count(*) AS total FROM audit_events WHERE org = ? AND type = ?',
} as const;

const writing = {
  append: `INSERT INTO audit_events (org, number, type, recorded_at, actor, subject, details)
    VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM audit_events WHERE org = ?1), ?2, ?3, ?4, ?5, ?6)`,
} as const;

/** The audit log in SQLite, for reading. */
export class SqliteAuditLogReader implements AuditLogReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  list(org: string, type: AuditEventType | undefined, { offset, limit }: ListPart): Promise<readonly AuditRecord[]> {
    const { list, listType } = this.#statements;
    return this.session.execute(() =>
      (type === undefined ? list.all(org, limit, offset) : listType.all(org, type, limit, offset)).map(toAuditRecord),
    );
  }

  count(org: string, type: AuditEventType | undefined): Promise<number> {
    const { count, countType } = this.#statements;
    return this.session.execute(() => {
      const row = type === undefined ? count.get(org) : countType.get(org, type);
      return row === undefined ? 0 : number(row, 'total');
    });
  }
}

/** The audit log in SQLite, for adding to it. */
export class SqliteAuditLogWriter extends SqliteAuditLogReader implements AuditLogWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  append({ org, type, at, actor, subject, details }: AuditEvent): Promise<void> {
    return this.session.execute(() => {
      this.#statements.append.run(org, type, at, actor, subject, JSON.stringify(details));
    });
  }
}
