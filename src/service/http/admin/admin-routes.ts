import { requireAdminKey } from '../authentication/authentication.ts';
import type { RouteHost } from '../route.ts';
import { addApiKeyRoutes } from './api-keys.ts';
import { addMemberRoutes } from './members.ts';
import { addAdminNotificationRoutes } from './notifications.ts';
import { addOrganizationRoutes } from './organizations.ts';
import { addAdminServiceAccountRoutes } from './service-accounts.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/**
 * Adds the admin API: it creates what the interface has no way to create. Kept apart from the sixteen operations under
 * `/admin/v1`, opened by one key that the service is started with, and not served without that key.
 */
export function addAdminRoutes(host: RouteHost, dependencies: RouteDependencies, adminKey: string): void {
  const authenticator = requireAdminKey(adminKey, dependencies.failures);
  addOrganizationRoutes(host, dependencies, authenticator);
  addApiKeyRoutes(host, dependencies, authenticator);
  addMemberRoutes(host, dependencies, authenticator);
  addAdminServiceAccountRoutes(host, dependencies, authenticator);
  addAdminNotificationRoutes(host, dependencies, authenticator);
}
