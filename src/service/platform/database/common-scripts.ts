import { choose, either } from './database.ts';

/** The type of texts in PostgreSQL: compared and sorted by their bytes, as in SQLite, whatever the locale of the database. */
export const text = 'text COLLATE "C"';

/**
 * Converts a script from the words of PostgreSQL. In SQLite, a table that ends with `);` on a line of its own is strict and
 * clustered by its key.
 */
export function toScript(script: string): { readonly sqlite: string; readonly postgres: string } {
  const sqlite = choose(script, 'sqlite')
    .replace(/\n\s*\);/gu, '\n) STRICT, WITHOUT ROWID;')
    .replace(/\btext\b/gu, 'TEXT')
    .replace(/\b(?:bigint|integer|smallint)\b/gu, 'INTEGER')
    .replace(/\bdouble precision\b/gu, 'REAL')
    .replace(/\bbytea\b/gu, 'BLOB');
  return { sqlite, postgres: choose(script, 'postgres').replace(/\btext\b/gu, text) };
}

const countedTables = [
  ...['flows', 'trails', 'trail_updates', 'artifacts', 'attestations', 'environments', 'snapshots'],
  ...['policy_versions', 'notifications'],
];
const countRecords = countedTables.map(
  (table) => `SELECT org, count(*) AS records, 0 AS bytes FROM ${table} GROUP BY org`,
);

/** Runs a statement for each inserted row: in PostgreSQL, by a function. */
const onInsert = (table: string, statement: string, call: string): string =>
  `CREATE TRIGGER ${table}_are_counted AFTER INSERT ON ${table}
    ${either(`BEGIN ${statement}; END`, `FOR EACH ROW EXECUTE FUNCTION ${call}()`)};`;
const createFunction = (name: string, statement: string): string =>
  either(
    '',
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$;`,
  );
const beginUsage = 'INSERT INTO usage (org) VALUES (NEW.org)';
const countRecord = 'UPDATE usage SET records = records + 1 WHERE org = NEW.org';
const countAttestation = `UPDATE usage SET records = records + 1,
  attachment_bytes = attachment_bytes + ${either('ifnull', 'coalesce')}(NEW.attachment_size, 0) WHERE org = NEW.org`;
const countInsert = (table: string): string =>
  table === 'attestations'
    ? onInsert(table, countAttestation, 'count_attestation')
    : onInsert(table, countRecord, 'count_record');

/** Lets PostgreSQL check at the end of a transaction that records of flows and environments exist. */
const deferReferences = either(
  '',
  `DO $$
  DECLARE reference record;
  BEGIN
    FOR reference IN SELECT conrelid::regclass AS "table", conname AS name FROM pg_constraint
      WHERE contype = 'f' AND confrelid IN
        ('flows'::regclass, 'trails'::regclass, 'attestations'::regclass, 'environments'::regclass)
    LOOP
      EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', reference."table", reference.name);
    END LOOP;
  END $$;`,
);

const loggedKinds = [
  ...['flow', 'trail', 'trail template', 'trail update', 'artifact', 'attestation', 'environment'],
  ...['environment member', 'policy attachment', 'environment report', 'allowed artifact', 'policy', 'policy version'],
  ...['policy event', 'custom type', 'custom type version', 'member', 'service account', 'login rule', 'github gate'],
  'audit event',
];

/** A field of the commit of a trail. */
const ofCommit = (field: string): string =>
  either(`report ->> '$.git_commit_info.${field}'`, `report::json #>> '{git_commit_info,${field}}'`);
/** SQLite ends every index with the place of the row. */
const thenPlace = either('', ', place');

/**
 * The scripts that both databases have in common, in their order, never changed once released. The first three are one
 * script in PostgreSQL, which began later.
 */
export const commonScripts = [
  // What keeps an attestation from being compliant, as JSON; null for compliant ones, and for those of earlier
  // versions.
  `ALTER TABLE attestations ADD COLUMN faults text;`,

  // Whether an environment requires provenance of everything that runs in it, besides its policies: 1 or 0.
  `ALTER TABLE environments ADD COLUMN requires_provenance smallint NOT NULL DEFAULT 0;`,

  // The environments that a record counts for, as JSON; null for all. The latest evidence of each such list of
  // environments is beside the latest that counts for all, because it must not replace that.
  `ALTER TABLE attestations ADD COLUMN counts_for text;
    ALTER TABLE artifacts ADD COLUMN counts_for text;

    CREATE TABLE limited_evidence (
      org text NOT NULL,
      flow text NOT NULL,
      scope text NOT NULL,
      counts_for text NOT NULL,
      name text NOT NULL,
      sequence bigint NOT NULL,
      PRIMARY KEY (org, flow, scope, counts_for, name),
      FOREIGN KEY (org, flow, sequence) REFERENCES attestations
    );`,

  // Counts what each organization uses, for its quotas. Triggers count records, which are never deleted, and the bytes
  // of the attachments that they refer to. The index counts valid keys.
  `CREATE TABLE usage (
      org text ${either('NOT NULL ', '')}PRIMARY KEY REFERENCES organizations,
      records bigint NOT NULL DEFAULT 0,
      attachment_bytes bigint NOT NULL DEFAULT 0
    );
    INSERT INTO usage (org, records, attachment_bytes)
      SELECT org, sum(records), sum(bytes) FROM (
        SELECT org, 0 AS records, 0 AS bytes FROM organizations
        UNION ALL ${countRecords.join(' UNION ALL ')}
        UNION ALL SELECT org, 0, sum(attachment_size) FROM attestations WHERE attachment_digest IS NOT NULL GROUP BY org
      ) ${either('', 'AS used ')}GROUP BY org;

    ${createFunction('begin_usage', beginUsage)}
    ${createFunction('count_record', countRecord)}
    ${createFunction('count_attestation', countAttestation)}
    ${onInsert('organizations', beginUsage, 'begin_usage')}
    ${countedTables.map(countInsert).join('\n')}

    CREATE INDEX api_keys_valid ON api_keys (org, expires_at) WHERE owner_kind <> 'workflow' AND revoked_at IS NULL;`,

  // Messages for targets of notifications (JSON lists; a target is `[number, position]`), until all of them have been
  // added to `deliveries`. `done` counts the targets that have them.
  `CREATE TABLE broadcasts (
      org text NOT NULL REFERENCES organizations,
      sequence bigint NOT NULL,
      messages text NOT NULL,
      targets text NOT NULL,
      done bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (org, sequence)
    )${either(' STRICT', '')};`,

  // The artifacts that somebody allowed in an environment, whatever its policies say.
  `CREATE TABLE allowed_artifacts (
      org text NOT NULL,
      environment text NOT NULL,
      fingerprint text NOT NULL,
      name text NOT NULL,
      reason text NOT NULL,
      allowed_by text NOT NULL,
      allowed_at double precision NOT NULL,
      PRIMARY KEY (org, environment, fingerprint),
      FOREIGN KEY (org, environment) REFERENCES environments
    );`,

  // What an attestation says in numbers, words and lists, as JSON; null for those of earlier versions.
  `ALTER TABLE attestations ADD COLUMN facts text;`,

  // The tags of flows and environments, as JSON.
  `ALTER TABLE flows ADD COLUMN tags text NOT NULL DEFAULT '{}';
    ALTER TABLE environments ADD COLUMN tags text NOT NULL DEFAULT '{}';`,

  // When a flow, an environment or a policy was archived; null if it is not.
  `ALTER TABLE flows ADD COLUMN archived_at double precision;
    ALTER TABLE environments ADD COLUMN archived_at double precision;
    ALTER TABLE policies ADD COLUMN archived_at double precision;`,

  // Types of evidence that organizations define. The definition is JSON.
  `CREATE TABLE custom_types (
      org text NOT NULL REFERENCES organizations,
      name text NOT NULL,
      description text NOT NULL,
      archived bigint NOT NULL,
      PRIMARY KEY (org, name)
    );

    CREATE TABLE custom_type_versions (
      org text NOT NULL,
      name text NOT NULL,
      version bigint NOT NULL,
      definition text NOT NULL,
      created_at double precision NOT NULL,
      created_by text NOT NULL,
      PRIMARY KEY (org, name, version),
      FOREIGN KEY (org, name) REFERENCES custom_types
    );

    ${countInsert('custom_type_versions')}`,

  // The names that flows and environments had, for links and pipelines that still use them; and indexes that find the
  // evidence which counts only for some environments. In PostgreSQL, a transaction that renames checks only at its end
  // that all records refer to existing ones.
  `CREATE TABLE former_names (
      org text NOT NULL REFERENCES organizations,
      kind text NOT NULL,
      former text NOT NULL,
      name text NOT NULL,
      PRIMARY KEY (org, kind, former)
    );

    CREATE INDEX attestations_limited ON attestations (org) WHERE counts_for IS NOT NULL;
    CREATE INDEX artifacts_limited ON artifacts (org) WHERE counts_for IS NOT NULL;

    ${deferReferences}`,

  // The trails of a flow by commit: the one that they were begun for, else their name.
  `CREATE INDEX trails_by_commit ON trails (org, flow, coalesce(${ofCommit('sha1')}, name));`,

  // The repositories at GitHub that flows judge, and what GitHub waits for: checks on commits, and answers to
  // deployments. An answer is due at `due_at`, or when its claim ends without a result. A check has no run and no
  // environment, and a deployment no flow.
  `CREATE TABLE github_gates (
      org text NOT NULL REFERENCES organizations,
      name text NOT NULL,
      document text NOT NULL,
      created_at double precision NOT NULL,
      created_by text NOT NULL,
      last_modified_at double precision NOT NULL,
      PRIMARY KEY (org, name)
    );

    CREATE TABLE github_answers (
      org text NOT NULL REFERENCES organizations,
      number bigint NOT NULL,
      installation_id bigint NOT NULL,
      repository_id text NOT NULL,
      repository text NOT NULL,
      sha text NOT NULL,
      flow text NOT NULL DEFAULT '',
      run_id bigint NOT NULL DEFAULT 0,
      github_environment text NOT NULL DEFAULT '',
      deployment_id bigint NOT NULL DEFAULT 0,
      requested_at double precision NOT NULL,
      requests bigint NOT NULL DEFAULT 1,
      due_at double precision,
      claimed_by text,
      claimed_until double precision,
      attempts bigint NOT NULL DEFAULT 0,
      last_error text,
      check_run_id bigint,
      sent text,
      answered_at double precision,
      PRIMARY KEY (org, number),
      UNIQUE (org, repository_id, sha, flow, run_id, github_environment)
    )${either(' STRICT', '')};
    CREATE INDEX github_answers_due ON github_answers (coalesce(claimed_until, due_at));
    CREATE INDEX github_answers_by_commit ON github_answers (org, flow, sha);
    CREATE INDEX github_answers_waiting ON github_answers (org) WHERE flow = '' AND answered_at IS NULL;
    CREATE INDEX github_answers_by_age ON github_answers (org, requested_at);`,

  // What recorded a record, as JSON; null for records of earlier versions and of users. The latest evidence of each
  // recorder for each commit (`*` if it covers any) is beside the latest of all, because others must not replace it.
  `ALTER TABLE attestations ADD COLUMN recorders text;
    ALTER TABLE artifacts ADD COLUMN recorders text;

    CREATE TABLE recorder_evidence (
      org text NOT NULL,
      flow text NOT NULL,
      scope text NOT NULL,
      recorder text NOT NULL,
      commit_sha text NOT NULL,
      name text NOT NULL,
      sequence bigint NOT NULL,
      PRIMARY KEY (org, flow, scope, recorder, commit_sha, name),
      FOREIGN KEY (org, flow, sequence) REFERENCES attestations${either('', ' DEFERRABLE')}
    );`,

  // When a trail was begun for its present commit; null if it never had another.
  `ALTER TABLE trails ADD COLUMN begun_at double precision;`,

  // Whether the key that began a trail counts for any environment; 0 for trails of earlier versions.
  `ALTER TABLE trails ADD COLUMN counts smallint NOT NULL DEFAULT 0;`,

  // The transparency log of each organization. `record` is the key of a record without the names of its flow and its
  // environment, which renames change. `log_hashes` has the roots of full tiles, from level 1; the hashes of level 0
  // are in the entries. `log_heads` has the size and root in the latest signed checkpoint, and `log_unfinished` the
  // kinds of records that are older than the log and may not be entered yet. In PostgreSQL, the table of commits gets
  // another name, so that processes of earlier versions stop writing: what they record would have no entry.
  `${either('', 'ALTER TABLE recent_commits RENAME TO commit_tokens;')}

    CREATE TABLE log_entries (
      org text NOT NULL REFERENCES organizations,
      sequence bigint NOT NULL,
      kind text NOT NULL,
      flow text NOT NULL,
      environment text NOT NULL,
      record text NOT NULL,
      entered_at double precision NOT NULL,
      document_digest text NOT NULL,
      attachment_digest text,
      random bytea NOT NULL,
      is_late smallint NOT NULL,
      document text,
      leaf_hash bytea NOT NULL,
      PRIMARY KEY (org, sequence)
    );
    CREATE INDEX log_entries_by_record ON log_entries (org, kind, flow, environment, record, sequence);

    CREATE TABLE log_hashes (
      org text NOT NULL REFERENCES organizations,
      level integer NOT NULL,
      number bigint NOT NULL,
      hash bytea NOT NULL,
      PRIMARY KEY (org, level, number)
    );

    CREATE TABLE log_heads (
      org text ${either('NOT NULL ', '')}PRIMARY KEY REFERENCES organizations,
      size bigint NOT NULL,
      root bytea NOT NULL
    );

    CREATE TABLE log_unfinished (
      org text NOT NULL REFERENCES organizations,
      kind text NOT NULL,
      PRIMARY KEY (org, kind)
    );
    ${loggedKinds.map((kind) => `INSERT INTO log_unfinished (org, kind) SELECT org, '${kind}' FROM organizations;`).join('')}`,

  // The attachments that organizations removed. `is_finished` is 1 if the content was deleted, or stays because
  // another organization shows it.
  `CREATE TABLE removed_attachments (
      org text NOT NULL REFERENCES organizations,
      attachment_digest text NOT NULL,
      removed_at double precision NOT NULL,
      removed_by text NOT NULL,
      reason text NOT NULL,
      is_finished integer NOT NULL,
      PRIMARY KEY (org, attachment_digest)
    );
    CREATE INDEX removed_attachments_by_digest ON removed_attachments (attachment_digest);
    CREATE INDEX removed_attachments_unfinished ON removed_attachments (is_finished, attachment_digest);`,

  // The last verdict on each trail. At `rejudge_at`, a trail is judged again; null if time alone cannot change its
  // verdict. The trails of a flow before the place `rejudge_before` in the order of creation are judged again, too:
  // trails of earlier versions, and all trails when the template of the flow changes.
  `ALTER TABLE trails ADD COLUMN state text;
    ALTER TABLE trails ADD COLUMN rejudge_at double precision;
    ALTER TABLE flows ADD COLUMN rejudge_before bigint DEFAULT ${Number.MAX_SAFE_INTEGER};
    CREATE INDEX trails_to_rejudge ON trails (rejudge_at) WHERE rejudge_at IS NOT NULL;
    CREATE INDEX flows_to_rejudge ON flows (rejudge_before) WHERE rejudge_before IS NOT NULL;

    CREATE INDEX trails_by_time ON trails (org, flow, created_at${thenPlace});
    CREATE INDEX trails_by_state ON trails (org, flow, state, created_at${thenPlace});
    CREATE INDEX trails_by_branch ON trails (org, flow, substr(${ofCommit('branch')}, 1, 200), created_at${thenPlace});
    CREATE INDEX trails_by_author ON trails (org, flow, substr(${ofCommit('author')}, 1, 200), created_at${thenPlace});`,

  // The words that trails are found by. `place` is the place of the trail in the order of creation, which it keeps
  // when its flow is renamed, in backups, and in copies. The empty word stands for all older trails that are not
  // indexed yet.
  `CREATE TABLE search_words (
      org text NOT NULL REFERENCES organizations,
      word text NOT NULL,
      place bigint NOT NULL,
      PRIMARY KEY (org, word, place)
    );
    CREATE INDEX search_words_waiting ON search_words (org) WHERE word = '';
    INSERT INTO search_words (org, word, place) SELECT org, '', max(${either('rowid', 'place')}) FROM trails GROUP BY org;`,

  // When the state of each trail began (null if unknown), and the names of the evidence or artifacts that keep it from
  // being compliant, as JSON. The indexes count the trails of a branch by state, and find those that are not
  // compliant. `branch` is that of the report, cut to 200 characters: PostgreSQL counts by an index alone only if it
  // has the column. Judging the trails again fills it.
  `ALTER TABLE trails ADD COLUMN state_since double precision;
    ALTER TABLE trails ADD COLUMN faults text;
    ALTER TABLE trails ADD COLUMN branch text;
    UPDATE flows SET rejudge_before = ${Number.MAX_SAFE_INTEGER};
    CREATE INDEX trails_by_branch_and_state ON trails (org, flow, branch, state, created_at);
    CREATE INDEX trails_not_compliant ON trails (org, created_at, flow, branch) WHERE state <> 'COMPLIANT';`,
].map(toScript);
