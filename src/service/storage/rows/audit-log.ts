import { auditEventTypes } from '../../../contract/audit-log.ts';
import type { AuditRecord } from '../../domain/audit-event.ts';
import { number, text, type Row } from '../rows.ts';

/** Converts a row to an event of the audit log. */
export function toAuditRecord(row: Row): AuditRecord {
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
