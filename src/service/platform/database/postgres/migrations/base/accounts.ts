import { text } from '../../../common-scripts.ts';
import { commonTables } from '../../../common-tables.ts';

/** Organizations, members, service accounts, keys, and the sessions of browsers. */
export const accounts = `
CREATE TABLE organizations (
  org ${text} PRIMARY KEY,
  created_at double precision NOT NULL
);

${commonTables.members.postgres}

CREATE TABLE api_keys (
  org ${text} NOT NULL REFERENCES organizations,
  id ${text} NOT NULL UNIQUE,
  owner ${text} NOT NULL,
  secret_hash bytea NOT NULL,
  created_at double precision NOT NULL,
  revoked_at double precision,
  owner_kind ${text} NOT NULL DEFAULT 'user',
  description ${text} NOT NULL DEFAULT '',
  expires_at double precision NOT NULL,
  is_limited_to_org smallint NOT NULL DEFAULT 0,
  login ${text},
  original_expires_at double precision,
  PRIMARY KEY (org, id)
);
CREATE INDEX api_keys_by_owner ON api_keys (org, owner_kind, owner);
CREATE INDEX api_keys_by_user ON api_keys (owner) WHERE owner_kind = 'user';
CREATE INDEX api_keys_of_logins ON api_keys (org, expires_at) WHERE owner_kind = 'workflow';
CREATE INDEX api_keys_of_repositories ON api_keys (org, owner, expires_at) WHERE owner_kind = 'workflow';

${commonTables.loginRules.postgres}

${commonTables.sessions.postgres}

${commonTables.keyUses.postgres}
`;
