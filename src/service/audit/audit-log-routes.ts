import { listAuditEvents } from '../../contract/audit-log.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { toListPart, toPagination } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

export function addAuditLogRoute(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, listAuditEvents, requireRole(dependencies, 'administer'), async ({ parameters: { org }, query }) => {
    const part = toListPart(query);
    const { events, total } = await dependencies.storage.read(async ({ auditLog }) => ({
      events: await auditLog.list(org, query, part),
      total: await auditLog.count(org, query),
    }));
    return {
      status: 200,
      body: {
        data: events.map(({ number, type: kind, at, actor, subject, details }) => ({
          ...{ number, type: kind, timestamp: at, actor, subject },
          details: { ...details },
        })),
        pagination: toPagination(part, total),
      },
    };
  });
}
