import { type AuditEventType, auditEventTypes } from '../../contract/audit-log.ts';
import { maximumTimestamp } from '../../contract/limits.ts';
import { defineStatements, either, type ListPart, Repository } from '../platform/database/database.ts';
import { column, json, number, oneOf, text, toRecord } from '../platform/database/rows.ts';
import type { AuditEvent, AuditRecord } from './audit-event.ts';

const columns = 'org, number, type, recorded_at, actor, subject, details';

/** Which events to list: texts are parts of the actor and the subject, times are in Unix seconds, both included. */
export interface AuditFilter {
  readonly type?: AuditEventType | undefined;
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only events with a lower number. */
  readonly before?: number | undefined;
}

const position = either('instr', 'strpos');
const isFound = `org = $1 AND ($2 = '' OR type = $2) AND ${position}(actor, $3) > 0 AND ${position}(subject, $4) > 0
  AND recorded_at >= $5 AND recorded_at < $6 AND number < $7`;

const statements = defineStatements('audit_log', {
  list: `SELECT ${columns} FROM audit_events WHERE ${isFound} ORDER BY number DESC LIMIT $8 OFFSET $9`,
  // Numbers have no gaps, because nothing is deleted.
  count: 'SELECT coalesce(max(number), 0) AS total FROM audit_events WHERE org = $1',
  countFound: `SELECT count(*) AS total FROM audit_events WHERE ${isFound}`,
  append: `INSERT INTO audit_events (${columns})
    VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM audit_events WHERE org = $1), $2, $3, $4, $5, $6)`,
});

export class AuditLogReader extends Repository {
  /** The events of the organization, the latest first. */
  list(org: string, filter: AuditFilter, { offset, limit }: ListPart): Promise<readonly AuditRecord[]> {
    return this.queryAll(statements.list, [org, ...toValues(filter), limit, offset], toAuditRecord);
  }

  count(org: string, filter: AuditFilter): Promise<number> {
    const { type, actor, subject, from, to } = filter;
    const isFiltered = [type, actor, subject, from, to].some((value) => value !== undefined && value !== '');
    return isFiltered
      ? this.queryNumber(statements.countFound, [org, ...toValues(filter)], 'total')
      : this.queryNumber(statements.count, [org], 'total');
  }
}

function toValues({ type, actor, subject, ...range }: AuditFilter): readonly (string | number)[] {
  const { from = 0, to = maximumTimestamp, before = Number.MAX_SAFE_INTEGER } = range;
  return [type ?? '', actor ?? '', subject ?? '', from, to + 1, before];
}

/** Adds to the audit log. Nothing in it can be changed. */
export class AuditLogWriter extends AuditLogReader {
  /** Adds an event with the next number of its organization, which must exist. */
  append({ org, type, at, actor, subject, details }: AuditEvent): Promise<void> {
    return this.run(statements.append, [org, type, at, actor, subject, JSON.stringify(details)]);
  }
}

const toAuditRecord = toRecord<AuditRecord>({
  ...{ org: text, number, type: oneOf(auditEventTypes), at: column('recorded_at', number) },
  ...{ actor: text, subject: text, details: json },
});
