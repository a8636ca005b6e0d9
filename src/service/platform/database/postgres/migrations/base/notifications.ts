import { text } from '../../../common-scripts.ts';
import { commonTables } from '../../../common-tables.ts';

/**
 * Notifications and their outbox. `claimed_until` is set while a process, `claimed_by`, delivers to a target. Sequences
 * of deliveries are not reused: a process that ends a delivery after its claim expired must not delete another one.
 */
export const notifications = `
${commonTables.notifications.postgres}
ALTER TABLE notifications ADD COLUMN last_modified_at double precision;

${commonTables.notificationSubjects.postgres}

${commonTables.notificationTargets.postgres}
ALTER TABLE notification_targets ADD COLUMN last_error ${text}, ADD COLUMN last_error_at double precision,
  ADD COLUMN signing_secrets ${text} NOT NULL DEFAULT '[]',
  ADD COLUMN claimed_until timestamptz, ADD COLUMN claimed_by ${text};

${commonTables.deliveries.postgres}
`;
