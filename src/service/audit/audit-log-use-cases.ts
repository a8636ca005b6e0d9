import type { AuditEventType } from '../../contract/audit-log.ts';
import type { AuditRecord } from './audit-event.ts';
import type { ListPart } from '../platform/database/list-part.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

/** A query for events of the audit log. */
export interface AuditLogQuery {
  readonly org: string;
  /** Undefined for all types. */
  readonly type: AuditEventType | undefined;
  readonly part: ListPart;
}

/** Lists events of the audit log, the latest first, with the number of all that match. */
export function listAuditEvents(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, type, part }: AuditLogQuery,
): Promise<{ readonly events: readonly AuditRecord[]; readonly total: number }> {
  return storage.read(async ({ auditLog }) => ({
    events: await auditLog.list(org, type, part),
    total: await auditLog.count(org, type),
  }));
}
