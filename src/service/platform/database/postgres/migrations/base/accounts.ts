import { text } from '../../../common-scripts.ts';

/** Organizations, members, service accounts, keys, and the sessions of browsers. */
export const accounts = `
CREATE TABLE organizations (
  org ${text} PRIMARY KEY,
  created_at double precision NOT NULL
);

CREATE TABLE members (
  org ${text} NOT NULL REFERENCES organizations,
  "user" ${text} NOT NULL,
  role ${text} NOT NULL,
  created_at double precision NOT NULL,
  is_default smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (org, "user")
);
CREATE INDEX members_by_user ON members ("user");
CREATE UNIQUE INDEX members_by_default ON members ("user") WHERE is_default = 1;

CREATE TABLE service_accounts (
  org ${text} NOT NULL REFERENCES organizations,
  name ${text} NOT NULL,
  display_name ${text} NOT NULL,
  privilege ${text} NOT NULL,
  description ${text} NOT NULL,
  created_by ${text} NOT NULL,
  created_at double precision NOT NULL,
  for_webhook smallint NOT NULL,
  PRIMARY KEY (org, name)
);

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

CREATE TABLE login_rules (
  org ${text} NOT NULL REFERENCES organizations,
  name ${text} NOT NULL,
  conditions ${text} NOT NULL,
  created_at double precision NOT NULL,
  created_by ${text} NOT NULL,
  last_modified_at double precision NOT NULL,
  PRIMARY KEY (org, name)
);

CREATE TABLE sessions (
  org ${text} NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  key_id ${text} NOT NULL,
  created_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (org, token_hash),
  FOREIGN KEY (org, key_id) REFERENCES api_keys
);
CREATE INDEX sessions_by_key ON sessions (org, key_id, created_at);

CREATE TABLE key_uses (
  org ${text} NOT NULL,
  id ${text} NOT NULL,
  used_at double precision NOT NULL,
  PRIMARY KEY (org, id),
  FOREIGN KEY (org, id) REFERENCES api_keys
);
`;
