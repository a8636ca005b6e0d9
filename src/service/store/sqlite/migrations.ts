import type { DatabaseSync } from 'node:sqlite';

/**
 * The steps that lead from an empty file to the tables of today, one script a version, never changed once released. SQLite's
 * `user_version` says how many were taken.
 *
 * The first column of every key is the organization. `sequence` counts within a flow, in the order of recording.
 * `current_evidence` and `bindings` are looked up by scope (`domain/binding.ts`), so that judging an artifact costs the same
 * however many attestations its flow holds.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE organizations (
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

  CREATE TABLE flows (
    org TEXT NOT NULL REFERENCES organizations,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    visibility TEXT,
    template TEXT NOT NULL,
    repo_url TEXT,
    created_at REAL NOT NULL,
    last_modified_at REAL NOT NULL,
    PRIMARY KEY (org, name)
  ) STRICT;

  CREATE TABLE trails (
    org TEXT NOT NULL,
    flow TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (org, flow, name),
    FOREIGN KEY (org, flow) REFERENCES flows
  ) STRICT;

  CREATE TABLE attestations (
    org TEXT NOT NULL,
    flow TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    trail TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at REAL NOT NULL,
    reported_by TEXT NOT NULL,
    attachment_filename TEXT,
    attachment_digest TEXT,
    attachment_size INTEGER,
    document TEXT NOT NULL,
    PRIMARY KEY (org, flow, sequence),
    FOREIGN KEY (org, flow, trail) REFERENCES trails
  ) STRICT;
  CREATE UNIQUE INDEX attestations_by_id ON attestations (org, id);
  CREATE INDEX attestations_by_trail ON attestations (org, flow, trail, sequence);
  CREATE INDEX attestations_by_digest ON attestations (attachment_digest) WHERE attachment_digest IS NOT NULL;

  CREATE TABLE bindings (
    org TEXT NOT NULL,
    flow TEXT NOT NULL,
    scope TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (org, flow, scope, sequence),
    FOREIGN KEY (org, flow, sequence) REFERENCES attestations
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE current_evidence (
    org TEXT NOT NULL,
    flow TEXT NOT NULL,
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (org, flow, scope, name),
    FOREIGN KEY (org, flow, sequence) REFERENCES attestations
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE artifacts (
    org TEXT NOT NULL,
    flow TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    trail TEXT NOT NULL,
    id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    created_at REAL NOT NULL,
    reported_by TEXT NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (org, flow, sequence),
    FOREIGN KEY (org, flow, trail) REFERENCES trails
  ) STRICT;
  CREATE UNIQUE INDEX artifacts_by_id ON artifacts (org, id);
  CREATE INDEX artifacts_by_fingerprint ON artifacts (org, flow, fingerprint, sequence);
  CREATE INDEX artifacts_by_trail ON artifacts (org, flow, trail, fingerprint, sequence);
  `,
];

/**
 * Brings the tables up to date, each step in a transaction of its own.
 *
 * @throws Error where the file was written by a later version of the service.
 */
export function migrate(database: DatabaseSync): void {
  const taken = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (taken > steps.length) {
    throw new Error(
      `the database has version ${taken} and this service knows versions up to ${steps.length}; start a newer service`,
    );
  }
  for (const [index, step] of steps.entries()) {
    if (index >= taken) database.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
