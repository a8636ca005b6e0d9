import { accounts } from './base/accounts.ts';
import { attachments } from './base/attachments.ts';
import { auditLog } from './base/audit-log.ts';
import { coordination } from './base/coordination.ts';
import { environments } from './base/environments.ts';
import { evidence } from './base/evidence.ts';
import { flows } from './base/flows.ts';
import { notifications } from './base/notifications.ts';

/** All tables of the first release with PostgreSQL. Tables and columns have the same names as in SQLite. */
export const base = [accounts, auditLog, flows, evidence, environments, notifications, coordination, attachments].join(
  '',
);
