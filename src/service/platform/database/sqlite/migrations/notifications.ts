import { commonTables } from '../../common-tables.ts';

/**
 * Notifications and their outbox. Each target has its own queue: its deliveries are sent in order, and while the first
 * one fails, the others wait. So each target has one due time for all waiting deliveries.
 *
 * `due_at` is null if nothing waits; `attempts` counts the failures since the last success. The row of a deleted
 * notification is kept, so that its number is not reused.
 */
export const notifications = `
${commonTables.notifications.sqlite}

${commonTables.notificationSubjects.sqlite}

${commonTables.notificationTargets.sqlite}

${commonTables.deliveries.sqlite}
`;
