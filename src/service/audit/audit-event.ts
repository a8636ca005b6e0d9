import type { AuditEventType } from '../../contract/audit-log.ts';

/** Something that the audit log records. */
export interface AuditEvent {
  readonly org: string;
  readonly type: AuditEventType;
  /** In Unix seconds. */
  readonly at: number;
  /** Who did it (`actorName`), or one of the names below. */
  readonly actor: string;
  /** The object of the event: `key <id>`, `member <name>`, … */
  readonly subject: string;
  /** Further facts, without secrets. */
  readonly details: Readonly<Record<string, string>>;
}

export interface AuditRecord extends AuditEvent {
  /** Counts the events of the organization, from 1. */
  readonly number: number;
}

/** The actor of commands on the service's machine and of the admin API. */
export const operatorActor = 'operator';

export const unknownActor = 'unknown';
