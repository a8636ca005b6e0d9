import { toScript } from './common-scripts.ts';
import { either } from './database.ts';

/**
 * The tables that the first scripts of both databases create alike. Like these scripts, they never change once released:
 * what came later is in `common-scripts.ts`.
 */
export const commonTables = {
  members: toScript(`CREATE TABLE members (
      org text NOT NULL REFERENCES organizations,
      "user" text NOT NULL,
      role text NOT NULL,
      created_at double precision NOT NULL,
      is_default smallint NOT NULL DEFAULT 0,
      PRIMARY KEY (org, "user")
    );
    CREATE INDEX members_by_user ON members ("user");
    CREATE UNIQUE INDEX members_by_default ON members ("user") WHERE is_default = 1;

    CREATE TABLE service_accounts (
      org text NOT NULL REFERENCES organizations,
      name text NOT NULL,
      display_name text NOT NULL,
      privilege text NOT NULL,
      description text NOT NULL,
      created_by text NOT NULL,
      created_at double precision NOT NULL,
      for_webhook smallint NOT NULL,
      PRIMARY KEY (org, name)
    );`),

  loginRules: toScript(`CREATE TABLE login_rules (
      org text NOT NULL REFERENCES organizations,
      name text NOT NULL,
      conditions text NOT NULL,
      created_at double precision NOT NULL,
      created_by text NOT NULL,
      last_modified_at double precision NOT NULL,
      PRIMARY KEY (org, name)
    );`),

  sessions: toScript(`CREATE TABLE sessions (
      org text NOT NULL,
      token_hash bytea NOT NULL UNIQUE,
      key_id text NOT NULL,
      created_at double precision NOT NULL,
      expires_at double precision NOT NULL,
      PRIMARY KEY (org, token_hash),
      FOREIGN KEY (org, key_id) REFERENCES api_keys
    );
    CREATE INDEX sessions_by_key ON sessions (org, key_id, created_at);`),

  keyUses: toScript(`CREATE TABLE key_uses (
      org text NOT NULL,
      id text NOT NULL,
      used_at double precision NOT NULL,
      PRIMARY KEY (org, id),
      FOREIGN KEY (org, id) REFERENCES api_keys
    );`),

  auditEvents: toScript(`CREATE TABLE audit_events (
      org text NOT NULL REFERENCES organizations,
      number bigint NOT NULL,
      type text NOT NULL,
      recorded_at double precision NOT NULL,
      actor text NOT NULL,
      subject text NOT NULL,
      details text NOT NULL,
      PRIMARY KEY (org, number)
    );
    CREATE INDEX audit_events_by_type ON audit_events (org, type, number);`),

  flows: toScript(`CREATE TABLE flows (
      org text NOT NULL REFERENCES organizations,
      name text NOT NULL,
      description text NOT NULL,
      visibility text,
      template text NOT NULL,
      repo_url text,
      created_at double precision NOT NULL,
      last_modified_at double precision NOT NULL,
      PRIMARY KEY (org, name)
    )${either(' STRICT', '')};`),

  trails: toScript(`CREATE TABLE trails (
      org text NOT NULL,
      flow text NOT NULL,
      name text NOT NULL,
      created_at double precision NOT NULL,
      PRIMARY KEY (org, flow, name),
      FOREIGN KEY (org, flow) REFERENCES flows
    )${either(' STRICT', '')};`),

  trailUpdates: toScript(`CREATE TABLE trail_templates (
      org text NOT NULL,
      flow text NOT NULL,
      trail text NOT NULL,
      template text NOT NULL,
      PRIMARY KEY (org, flow, trail),
      FOREIGN KEY (org, flow, trail) REFERENCES trails
    )${either(' STRICT', '')};

    CREATE TABLE trail_updates (
      org text NOT NULL,
      flow text NOT NULL,
      trail text NOT NULL,
      sequence bigint NOT NULL,
      updated_at double precision NOT NULL,
      commit_sha text,
      commit_url text,
      PRIMARY KEY (org, flow, trail, sequence),
      FOREIGN KEY (org, flow, trail) REFERENCES trails
    );`),

  attestations: toScript(`CREATE TABLE attestations (
      org text NOT NULL,
      flow text NOT NULL,
      sequence bigint NOT NULL,
      trail text NOT NULL,
      id text NOT NULL,
      name text NOT NULL,
      type text NOT NULL,
      verdict text NOT NULL,
      reason text NOT NULL,
      created_at double precision NOT NULL,
      reported_by text NOT NULL,
      attachment_filename text,
      attachment_digest text,
      attachment_size bigint,
      document text NOT NULL,
      PRIMARY KEY (org, flow, sequence),
      FOREIGN KEY (org, flow, trail) REFERENCES trails
    )${either(' STRICT', '')};
    CREATE UNIQUE INDEX attestations_by_id ON attestations (org, id);
    CREATE INDEX attestations_by_trail ON attestations (org, flow, trail, sequence);
    CREATE INDEX attestations_by_digest ON attestations (attachment_digest) WHERE attachment_digest IS NOT NULL;`),

  currentEvidence: toScript(`CREATE TABLE bindings (
      org text NOT NULL,
      flow text NOT NULL,
      scope text NOT NULL,
      sequence bigint NOT NULL,
      PRIMARY KEY (org, flow, scope, sequence),
      FOREIGN KEY (org, flow, sequence) REFERENCES attestations
    );

    CREATE TABLE current_evidence (
      org text NOT NULL,
      flow text NOT NULL,
      scope text NOT NULL,
      name text NOT NULL,
      sequence bigint NOT NULL,
      PRIMARY KEY (org, flow, scope, name),
      FOREIGN KEY (org, flow, sequence) REFERENCES attestations
    );`),

  artifacts: toScript(`CREATE TABLE artifacts (
      org text NOT NULL,
      flow text NOT NULL,
      sequence bigint NOT NULL,
      trail text NOT NULL,
      id text NOT NULL,
      fingerprint text NOT NULL,
      created_at double precision NOT NULL,
      reported_by text NOT NULL,
      report text NOT NULL,
      PRIMARY KEY (org, flow, sequence),
      FOREIGN KEY (org, flow, trail) REFERENCES trails
    )${either(' STRICT', '')};
    CREATE UNIQUE INDEX artifacts_by_id ON artifacts (org, id);
    CREATE INDEX artifacts_by_fingerprint ON artifacts (org, flow, fingerprint, sequence);
    CREATE INDEX artifacts_by_trail ON artifacts (org, flow, trail, fingerprint, sequence);`),

  rememberedAnswers: toScript(`CREATE TABLE remembered_answers (
      org text NOT NULL REFERENCES organizations,
      scope text NOT NULL,
      key text NOT NULL,
      digest text NOT NULL,
      answered_at double precision NOT NULL,
      status integer NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (org, scope, key)
    );
    CREATE INDEX remembered_answers_by_time ON remembered_answers (answered_at);`),

  environments: toScript(`CREATE TABLE environments (
      org text NOT NULL REFERENCES organizations,
      name text NOT NULL,
      kind text NOT NULL,
      description text NOT NULL,
      latest bigint NOT NULL DEFAULT 0,
      created_at double precision NOT NULL,
      last_modified_at double precision NOT NULL,
      PRIMARY KEY (org, name)
    )${either(' STRICT', '')};

    CREATE TABLE environment_members (
      org text NOT NULL,
      environment text NOT NULL,
      member text NOT NULL,
      PRIMARY KEY (org, environment, member),
      FOREIGN KEY (org, environment) REFERENCES environments,
      FOREIGN KEY (org, member) REFERENCES environments
    );
    CREATE INDEX environments_by_member ON environment_members (org, member);`),

  environmentReports: toScript(`CREATE TABLE environment_reports (
      org text NOT NULL,
      environment text NOT NULL,
      reported_at double precision NOT NULL,
      PRIMARY KEY (org, environment),
      FOREIGN KEY (org, environment) REFERENCES environments
    );`),

  snapshots: toScript(`CREATE TABLE snapshots (
      org text NOT NULL,
      environment text NOT NULL,
      number bigint NOT NULL,
      made_at double precision NOT NULL,
      compliant smallint,
      judgement text NOT NULL,
      content text NOT NULL,
      PRIMARY KEY (org, environment, number),
      FOREIGN KEY (org, environment) REFERENCES environments
    )${either(' STRICT', '')};`),

  pendingSnapshots: toScript(`CREATE TABLE pending_snapshots (
      org text NOT NULL,
      environment text NOT NULL,
      since double precision NOT NULL,
      forced smallint NOT NULL,
      PRIMARY KEY (org, environment),
      FOREIGN KEY (org, environment) REFERENCES environments
    );`),

  appearances: toScript(`CREATE TABLE appearances (
      org text NOT NULL,
      fingerprint text NOT NULL,
      environment text NOT NULL,
      started bigint NOT NULL,
      started_at double precision NOT NULL,
      exited bigint,
      exited_at double precision,
      PRIMARY KEY (org, fingerprint, environment, started),
      FOREIGN KEY (org, environment) REFERENCES environments
    );`),

  policies: toScript(`CREATE TABLE policies (
      org text NOT NULL REFERENCES organizations,
      name text NOT NULL,
      description text NOT NULL,
      latest bigint NOT NULL,
      created_at double precision NOT NULL,
      created_by text NOT NULL,
      last_modified_at double precision NOT NULL,
      PRIMARY KEY (org, name)
    )${either(' STRICT', '')};

    CREATE TABLE policy_events (
      org text NOT NULL,
      policy text NOT NULL,
      sequence bigint NOT NULL,
      type text NOT NULL,
      timestamp double precision NOT NULL,
      "user" text NOT NULL,
      version bigint NOT NULL,
      environment text,
      PRIMARY KEY (org, policy, sequence),
      FOREIGN KEY (org, policy) REFERENCES policies
    )${either(' STRICT', '')};

    CREATE TABLE environment_policies (
      org text NOT NULL,
      environment text NOT NULL,
      policy text NOT NULL,
      PRIMARY KEY (org, environment, policy),
      FOREIGN KEY (org, environment) REFERENCES environments,
      FOREIGN KEY (org, policy) REFERENCES policies
    );
    CREATE INDEX environments_by_policy ON environment_policies (org, policy, environment);`),

  notifications: toScript(`CREATE TABLE notifications (
      org text NOT NULL REFERENCES organizations,
      number bigint NOT NULL,
      name text NOT NULL,
      environments text NOT NULL,
      triggers text NOT NULL,
      created_at double precision NOT NULL,
      created_by text NOT NULL,
      deleted_at double precision,
      PRIMARY KEY (org, number)
    )${either(' STRICT', '')};`),

  notificationSubjects: toScript(`CREATE TABLE notification_subjects (
      org text NOT NULL,
      environment text NOT NULL,
      "trigger" text NOT NULL,
      number bigint NOT NULL,
      PRIMARY KEY (org, environment, "trigger", number),
      FOREIGN KEY (org, number) REFERENCES notifications
    );
    CREATE INDEX notification_subjects_by_number ON notification_subjects (org, number);`),

  notificationTargets: toScript(`CREATE TABLE notification_targets (
      org text NOT NULL,
      number bigint NOT NULL,
      position bigint NOT NULL,
      target text NOT NULL,
      due_at double precision,
      attempts bigint NOT NULL DEFAULT 0,
      last_success_at double precision,
      PRIMARY KEY (org, number, position),
      FOREIGN KEY (org, number) REFERENCES notifications
    )${either(' STRICT', '')};
    CREATE INDEX notification_targets_due ON notification_targets (due_at) WHERE due_at IS NOT NULL;`),

  deliveries: toScript(`CREATE TABLE deliveries (
      org text NOT NULL,
      number bigint NOT NULL,
      position bigint NOT NULL,
      sequence bigint ${either('NOT NULL', 'GENERATED BY DEFAULT AS IDENTITY')},
      event text NOT NULL,
      PRIMARY KEY (org, number, position, sequence),
      FOREIGN KEY (org, number, position) REFERENCES notification_targets
    );`),
};
