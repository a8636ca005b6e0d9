import type { AuditEvent, AuditRecord } from '../domain/audit-event.ts';
import type { AuditEventType } from '../../contract/audit-log.ts';
import type { ListPart } from './list-part.ts';

/** Reads the audit log. */
export interface AuditLogReader {
  /** The events of the organization, the latest first. */
  list(org: string, type: AuditEventType | undefined, part: ListPart): Promise<readonly AuditRecord[]>;
  count(org: string, type: AuditEventType | undefined): Promise<number>;
}

/** Adds to the audit log. Nothing in it can be changed. */
export interface AuditLogWriter extends AuditLogReader {
  /** Adds an event with the next number of its organization, which must exist. */
  append(event: AuditEvent): Promise<void>;
}
