import type { DatabaseSync } from 'node:sqlite';
import { commonScripts } from '../common-scripts.ts';
import { StartError } from '../start-error.ts';
import { accounts } from './migrations/accounts.ts';
import { administration } from './migrations/administration.ts';
import { artifactLists } from './migrations/artifact-lists.ts';
import { base } from './migrations/base.ts';
import { clock } from './migrations/clock.ts';
import { environmentReading } from './migrations/environment-reading.ts';
import { environments } from './migrations/environments.ts';
import { idempotencyKeys } from './migrations/idempotency-keys.ts';
import { keyExpiry } from './migrations/key-expiry.ts';
import { keyRotation } from './migrations/key-rotation.ts';
import { notificationTargets } from './migrations/notification-targets.ts';
import { notifications } from './migrations/notifications.ts';
import { pages } from './migrations/pages.ts';
import { pendingSnapshots } from './migrations/pending-snapshots.ts';
import { trails } from './migrations/trails.ts';
import { users } from './migrations/users.ts';
import { workflowLogins } from './migrations/workflow-logins.ts';

/**
 * The migrations from an empty file to the current tables: one script per version, never changed once released.
 * SQLite's `user_version` is the number of applied migrations.
 *
 * The first column of every key is the organization. `sequence` counts within a flow, in the order of recording.
 * `current_evidence` and `bindings` are looked up by scope (`evidence-scope.ts`), so that judging an artifact
 * costs the same regardless of the number of attestations in its flow.
 */
const steps: readonly string[] = [
  base,
  environments,
  accounts,
  notifications,
  pendingSnapshots,
  users,
  clock,
  notificationTargets,
  idempotencyKeys,
  trails,
  environmentReading,
  administration,
  artifactLists,
  workflowLogins,
  pages,
  keyExpiry,
  keyRotation,
  ...commonScripts.map(({ sqlite }) => sqlite),
];

export const schemaVersion = steps.length;

/**
 * Applies the missing migrations, each in its own transaction.
 *
 * @throws StartError if the file was written by a later version of the service, or by another program.
 */
export function migrate(database: DatabaseSync, path: string): void {
  const taken = readVersion(database, path);
  for (const [index, step] of steps.entries()) {
    if (index >= taken) database.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

/**
 * Reads the schema version of a database; 0 if it has no tables.
 *
 * @throws StartError if the file was written by a later version of the service, or by another program.
 */
export function readVersion(database: DatabaseSync, path: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const isOurs = tables.length === 0 ? version === 0 : tables.some(({ name }) => name === 'organizations');
  if (!isOurs) {
    throw new StartError(`the database ${path} belongs to another program; choose another folder with --data`);
  }
  if (version > schemaVersion) {
    throw new StartError(
      `the database ${path} has version ${version}, but this service supports only versions up to ${schemaVersion}` +
        '; start a newer version of the service',
    );
  }
  return version;
}
