import { requireAdminKey } from '../authentication/authentication.ts';
import type { RouteHost } from '../route.ts';
import { addApiKeyRoutes } from './api-keys.ts';
import { addMemberRoutes } from './members.ts';
import { addAdminNotificationRoutes } from './notifications.ts';
import { addOrganizationRoutes } from './organizations.ts';
import { addAdminServiceAccountRoutes } from './service-accounts.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/**
 * Adds the admin API, which creates what the interface cannot create. It is separate from the sixteen operations, and
 * requires the administration key that the service was started with.
 */
export function addAdminRoutes(host: RouteHost, dependencies: RouteDependencies, adminKey: string): void {
  const authenticator = requireAdminKey(adminKey, dependencies.failures);
  addOrganizationRoutes(host, dependencies, authenticator);
  addApiKeyRoutes(host, dependencies, authenticator);
  addMemberRoutes(host, dependencies, authenticator);
  addAdminServiceAccountRoutes(host, dependencies, authenticator);
  addAdminNotificationRoutes(host, dependencies, authenticator);
}
