import { commonTables } from '../../common-tables.ts';

/**
 * Members, service accounts and owners of keys. A user's key gives access to the organizations that the user is a
 * member of, a service account's key to the account's own; permissions are looked up when a key is used. Existing keys
 * become keys of users, and keep their roles: a key with another role than the latest one of its owner gets a user of
 * its own, such as `ann-reader`. If that name exists with another role, its keys get the lower one. A user name has at
 * most 64 characters.
 *
 * From this version on, times of attestations never decreased within a flow, until the script that added
 * `stepped_back`.
 */
export const accounts = `
${commonTables.members.sqlite}

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
CREATE INDEX attestations_by_time ON attestations (org, flow, created_at, sequence);
`;
