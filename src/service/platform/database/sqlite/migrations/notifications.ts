import { commonTables } from '../../common-tables.ts';

/**
 * Notifications and their outbox. Each target has its own queue: its deliveries are sent in order, and while the first
 * one fails, the others wait. So each target has one due time for all waiting deliveries.
 *
 * `due_at` is null if nothing waits; `attempts` counts the failures since the last success. The row of a deleted
 * notification is kept, so that its number is not reused.
 */
export const notifications = `
CREATE TABLE notifications (
  org TEXT NOT NULL REFERENCES organizations,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  environments TEXT NOT NULL,
  triggers TEXT NOT NULL,
  created_at REAL NOT NULL,
  created_by TEXT NOT NULL,
  deleted_at REAL,
  PRIMARY KEY (org, number)
) STRICT;

${commonTables.notificationSubjects.sqlite}

CREATE TABLE notification_targets (
  org TEXT NOT NULL,
  number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  target TEXT NOT NULL,
  due_at REAL,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_success_at REAL,
  PRIMARY KEY (org, number, position),
  FOREIGN KEY (org, number) REFERENCES notifications
) STRICT;
CREATE INDEX notification_targets_due ON notification_targets (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE deliveries (
  org TEXT NOT NULL,
  number INTEGER NOT NULL,
  position INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (org, number, position, sequence),
  FOREIGN KEY (org, number, position) REFERENCES notification_targets
) STRICT, WITHOUT ROWID;
`;
