import type { DatabaseSync } from 'node:sqlite';
import { commonScripts } from '../common-scripts.ts';
import { commonTables } from '../common-tables.ts';
import { StartError } from '../start-error.ts';

/** Existing records have no idempotency key. The index leaves them out, so that they do not pay for it. */
const addKeys = ['attestations', 'artifacts', 'policy_versions'].map(
  (table) => `ALTER TABLE ${table} ADD COLUMN idempotency_key TEXT;
    ALTER TABLE ${table} ADD COLUMN request_digest TEXT;
    CREATE UNIQUE INDEX ${table}_by_key ON ${table} (org, idempotency_key) WHERE idempotency_key IS NOT NULL;`,
);

/** The columns that name the author of a record. */
const actorColumns = [
  ['attestations', 'reported_by'],
  ['artifacts', 'reported_by'],
  ['policies', 'created_by'],
  ['policy_versions', 'created_by'],
  ['policy_events', 'user'],
] as const;

const selectKeys = (table: string, column: string, kind: string): string =>
  `SELECT 1 FROM api_keys AS k WHERE k.org = ${table}.org AND k.owner_kind = '${kind}' AND k.owner = ${table}.${column}`;

const nameAccounts = actorColumns.map(
  ([table, column]) => `UPDATE ${table} SET ${column} = 'service-account:' || ${column}
    WHERE EXISTS (${selectKeys(table, column, 'service account')}) AND NOT EXISTS (${selectKeys(table, column, 'user')});`,
);

/**
 * The migrations from an empty file to the current tables: one script per version, never changed once released.
 * SQLite's `user_version` is the number of applied migrations.
 *
 * The first column of every key is the organization. `sequence` counts within a flow, in the order of recording.
 * `current_evidence` and `bindings` are looked up by scope (`evidence-scope.ts`), so that judging an artifact
 * costs the same regardless of the number of attestations in its flow.
 */
export const steps: readonly string[] = [
  // Organizations, keys, flows, trails, attestations and artifacts.
  `CREATE TABLE organizations (
      org TEXT NOT NULL PRIMARY KEY,
      created_at REAL NOT NULL
    ) STRICT;

    CREATE TABLE api_keys (
      org TEXT NOT NULL REFERENCES organizations,
      id TEXT NOT NULL UNIQUE,
      owner TEXT NOT NULL,
      role TEXT NOT NULL,
      secret_hash BLOB NOT NULL,
      created_at REAL NOT NULL,
      revoked_at REAL,
      PRIMARY KEY (org, id)
    ) STRICT;

    ${commonTables.flows.sqlite}

    ${commonTables.trails.sqlite}

    ${commonTables.attestations.sqlite}

    ${commonTables.currentEvidence.sqlite}

    ${commonTables.artifacts.sqlite}`,

  // Environments, their snapshots, and policies.
  //
  // A snapshot has no end time: it ends when the next one begins, so that a series has neither gaps nor overlaps.
  // `content` is JSON: the running artifacts or, for a logical environment, references to its members' snapshots. It is
  // the last column, so that lists do not read it. `appearances` holds each period in which a fingerprint runs:
  // `started` is the first snapshot that contains it, `exited` the first that no longer does.
  `${commonTables.environments.sqlite}

    ${commonTables.snapshots.sqlite}
    CREATE INDEX snapshots_by_time ON snapshots (org, environment, made_at, number);

    ${commonTables.appearances.sqlite}
    CREATE INDEX appearances_now ON appearances (org, environment, fingerprint) WHERE exited IS NULL;

    ${commonTables.policies.sqlite}

    CREATE TABLE policy_versions (
      org TEXT NOT NULL,
      policy TEXT NOT NULL,
      version INTEGER NOT NULL,
      comment TEXT NOT NULL,
      created_at REAL NOT NULL,
      created_by TEXT NOT NULL,
      rules TEXT NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (org, policy, version),
      FOREIGN KEY (org, policy) REFERENCES policies
    ) STRICT;

    CREATE INDEX artifacts_by_fingerprint_in_any_flow ON artifacts (org, fingerprint, flow, sequence);`,

  // Members, service accounts and owners of keys. A user's key gives access to the organizations that the user is a
  // member of, a service account's key to the account's own; permissions are looked up when a key is used. Existing
  // keys become keys of users, and keep their roles: a key with another role than the latest one of its owner gets a
  // user of its own, such as `ann-reader`. If that name exists with another role, its keys get the lower one. A user
  // name has at most 64 characters.
  //
  // From this version on, times of attestations never decreased within a flow, until the script that added
  // `stepped_back`.
  `${commonTables.members.sqlite}

    UPDATE api_keys SET owner = substr(owner, 1, 52) || '-' || role
      WHERE revoked_at IS NULL AND role <> (
        SELECT latest.role FROM api_keys AS latest
          WHERE latest.org = api_keys.org AND latest.owner = api_keys.owner AND latest.revoked_at IS NULL
          ORDER BY latest.created_at DESC, latest.id LIMIT 1
      );
    INSERT INTO members (org, user, role, created_at)
      SELECT org, owner, role, created_at FROM (
        SELECT org, owner, role, created_at, max(instr('admin member snapshotter reader', role))
          FROM api_keys WHERE revoked_at IS NULL GROUP BY org, owner
      );
    ALTER TABLE api_keys DROP COLUMN role;
    ALTER TABLE api_keys ADD COLUMN owner_kind TEXT NOT NULL DEFAULT 'user';
    ALTER TABLE api_keys ADD COLUMN description TEXT NOT NULL DEFAULT '';
    ALTER TABLE api_keys ADD COLUMN expires_at REAL;
    CREATE INDEX api_keys_by_owner ON api_keys (org, owner_kind, owner);

    UPDATE attestations SET created_at = corrected.latest FROM (
      SELECT org, flow, sequence, max(created_at) OVER (PARTITION BY org, flow ORDER BY sequence) AS latest
        FROM attestations
    ) AS corrected
      WHERE corrected.org = attestations.org AND corrected.flow = attestations.flow
        AND corrected.sequence = attestations.sequence AND corrected.latest > attestations.created_at;
    CREATE INDEX attestations_by_time ON attestations (org, flow, created_at, sequence);`,

  // Notifications and their outbox. Each target has its own queue: its deliveries are sent in order, and while the
  // first one fails, the others wait. So each target has one due time for all waiting deliveries.
  //
  // `due_at` is null if nothing waits; `attempts` counts the failures since the last success. The row of a deleted
  // notification is kept, so that its number is not reused.
  `${commonTables.notifications.sqlite}

    ${commonTables.notificationSubjects.sqlite}

    ${commonTables.notificationTargets.sqlite}

    ${commonTables.deliveries.sqlite}`,

  // Environments with a pending snapshot: one change can affect any number of environments, and only a few snapshots
  // are created with it. `since` is the time of the latest such change; `forced` is 1 if a snapshot is to be created
  // even if the verdict stays the same.
  commonTables.pendingSnapshots.sqlite,

  // Personal keys give access to every organization that their user is a member of; before, each key gave access to
  // one. User names were not global either: two people could have the same name in two organizations. So the keys of
  // names that exist in several organizations stay limited to their own, and no key gains access.
  //
  // Authors that are service accounts are marked as such (`actorName`). The table still contains all keys that ever
  // existed. If only a service account ever had keys under a name in an organization, the author is the account; if a
  // user had some as well, it is unknown, and the record is not changed.
  `ALTER TABLE api_keys ADD COLUMN is_limited_to_org INTEGER NOT NULL DEFAULT 0;
    UPDATE api_keys SET is_limited_to_org = 1 WHERE owner_kind = 'user' AND owner IN (
      SELECT owner FROM (
        SELECT org, owner FROM api_keys WHERE owner_kind = 'user' UNION SELECT org, user FROM members
      ) GROUP BY owner HAVING count(*) > 1
    );
    CREATE INDEX api_keys_by_user ON api_keys (owner) WHERE owner_kind = 'user';
    ${nameAccounts.join('\n')}`,

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

  // The idempotency keys of requests. What a request appends has its key, for as long as it exists, with the digest of
  // the request. A policy version also has what later changes would alter in the answer to that request: the policy's
  // description and its environments (a JSON list). `remembered_answers` has the answers to all other requests, for a
  // limited time.
  `${addKeys.join('\n')}
    ALTER TABLE policy_versions ADD COLUMN answered_description TEXT;
    ALTER TABLE policy_versions ADD COLUMN answered_environments TEXT;

    ${commonTables.rememberedAnswers.sqlite}`,

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
