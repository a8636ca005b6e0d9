import type { DatabaseSync } from 'node:sqlite';
import { commonScripts } from '../common-scripts.ts';
import { commonTables } from '../common-tables.ts';
import { StartError } from '../start-error.ts';
import { accounts } from './migrations/accounts.ts';
import { base } from './migrations/base.ts';
import { environments } from './migrations/environments.ts';
import { idempotencyKeys } from './migrations/idempotency-keys.ts';
import { notifications } from './migrations/notifications.ts';
import { users } from './migrations/users.ts';

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

  // Environments with a pending snapshot: one change can affect any number of environments, and only a few snapshots
  // are created with it. `since` is the time of the latest such change; `forced` is 1 if a snapshot is to be created
  // even if the verdict stays the same.
  commonTables.pendingSnapshots.sqlite,

  users,

  // Stores times as the clock showed them. Attestations and snapshots are ordered by their numbers alone, and
  // `stepped_back` is 1 if the clock was set back since the previous record: between two such records, times never
  // decrease, so that records can be found by time (`time-series.ts`). Before this version, every time was raised to
  // that of the previous record, so no record had stepped back.
  `DROP INDEX attestations_by_time;
    ALTER TABLE attestations ADD COLUMN stepped_back INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX attestations_stepped_back ON attestations (org, flow, sequence) WHERE stepped_back = 1;

    DROP INDEX snapshots_by_time;
    ALTER TABLE snapshots ADD COLUMN stepped_back INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX snapshots_stepped_back ON snapshots (org, environment, number) WHERE stepped_back = 1;`,

  // The error of a target's latest attempt, and the signing secrets of its webhooks (JSON, newest first). Existing
  // webhooks have no secret and stay unsigned until one is created for them.
  `ALTER TABLE notification_targets ADD COLUMN last_error TEXT;
    ALTER TABLE notification_targets ADD COLUMN last_error_at REAL;
    ALTER TABLE notification_targets ADD COLUMN signing_secrets TEXT NOT NULL DEFAULT '[]';`,

  idempotencyKeys,

  // The report that began a trail, its updates, and its own template. `report` is JSON; `last_modified_at` is null for
  // a trail that was only reported to. Templates have a table of their own, because most trails have none. The
  // indexes end with the row number, which grows in the order of creation.
  `ALTER TABLE trails ADD COLUMN report TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE trails ADD COLUMN last_modified_at REAL;
    CREATE INDEX trails_by_org ON trails (org);
    CREATE INDEX trails_by_flow ON trails (org, flow);

    ${commonTables.trailUpdates.sqlite}`,

  // When each environment was last reported, also if nothing had changed; for existing environments, the time of the
  // latest snapshot is the best that is known. The names of artifacts in `appearances`, and its order by snapshot, are
  // for the log of what started and stopped running.
  `${commonTables.environmentReports.sqlite}

    INSERT INTO environment_reports (org, environment, reported_at)
      SELECT e.org, e.name, s.made_at FROM environments e
        JOIN snapshots s ON s.org = e.org AND s.environment = e.name AND s.number = e.latest
        WHERE e.kind <> 'logical';

    ALTER TABLE appearances ADD COLUMN name TEXT NOT NULL DEFAULT '';
    UPDATE appearances SET name = known.name FROM (
      SELECT s.org, s.environment, s.number, a.value ->> 'fingerprint' AS fingerprint, min(a.value ->> 'name') AS name
        FROM snapshots s JOIN environments e ON e.org = s.org AND e.name = s.environment AND e.kind <> 'logical',
          json_each(s.content) a
        GROUP BY 1, 2, 3, 4
    ) AS known
      WHERE known.org = appearances.org AND known.environment = appearances.environment
        AND known.number = appearances.started AND known.fingerprint = appearances.fingerprint;
    CREATE INDEX appearances_by_start ON appearances (org, environment, started);
    CREATE INDEX appearances_by_exit ON appearances (org, environment, exited) WHERE exited IS NOT NULL;`,

  // When each key was last used, in a table of its own, because uses are written often. When each notification was
  // last changed; until then, when it was created.
  `${commonTables.keyUses.sqlite}

    ALTER TABLE notifications ADD COLUMN last_modified_at REAL;`,

  // Finds artifacts by the commit and the repository that they were built from, and by the branch.
  `CREATE INDEX artifacts_by_commit ON artifacts (org, report ->> '$.git_commit', flow, sequence);
    CREATE INDEX artifacts_by_branch ON artifacts (org, flow, report ->> '$.git_commit_info.branch', sequence);
    CREATE INDEX artifacts_by_repository ON artifacts (org, report ->> '$.repo_info.name')
      WHERE report ->> '$.repo_info.name' IS NOT NULL;`,

  // Logins of workflow runs: the rules that admit them, with their conditions as JSON, and what their keys permit and
  // proved, as JSON. The audit log, whose events cannot be changed.
  `${commonTables.loginRules.sqlite}

    ALTER TABLE api_keys ADD COLUMN login TEXT;
    CREATE INDEX api_keys_of_logins ON api_keys (org, expires_at) WHERE owner_kind = 'workflow';
    CREATE INDEX api_keys_of_repositories ON api_keys (org, owner, expires_at) WHERE owner_kind = 'workflow';

    ${commonTables.auditEvents.sqlite}
    CREATE TRIGGER audit_events_keep_content BEFORE UPDATE ON audit_events
      BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
    CREATE TRIGGER audit_events_keep_rows BEFORE DELETE ON audit_events
      BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;`,

  // For the pages: the sessions of browsers, found by the hash of their token; and indexes for finding trails by the
  // beginning of their name, and the first snapshot with the current verdict.
  `${commonTables.sessions.sqlite}

    CREATE INDEX trails_by_name ON trails (org, name, flow);
    CREATE INDEX snapshots_by_verdict ON snapshots (org, environment, compliant, number);`,

  // Every key expires. Keys that did not expire before live another 365 days from the migration, so that none stops
  // working because of it; from the newest key, if the clock is behind that. `INSERT OR REPLACE` deletes rows without
  // the trigger for deletions, so the audit log refuses it on its own.
  `UPDATE api_keys SET expires_at = 365 * 86400 + max(unixepoch(), (SELECT ceil(max(created_at)) FROM api_keys))
      WHERE expires_at IS NULL;

    CREATE TRIGGER audit_events_keep_replaced BEFORE INSERT ON audit_events
      WHEN EXISTS (SELECT 1 FROM audit_events WHERE org = NEW.org AND number = NEW.number)
      BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;`,

  // When a rotated key would expire if it had not been rotated: its successors get the same lifetime.
  `ALTER TABLE api_keys ADD COLUMN original_expires_at REAL;`,

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
