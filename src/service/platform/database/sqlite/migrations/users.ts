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
 * Personal keys give access to every organization that their user is a member of; before, each key gave access to one.
 * User names were not global either: two people could have the same name in two organizations. So the keys of names
 * that exist in several organizations stay limited to their own, and no key gains access.
 *
 * Authors that are service accounts are marked as such (`actorName`). The table still contains all keys that ever
 * existed. If only a service account ever had keys under a name in an organization, the author is the account; if a
 * user had some as well, it is unknown, and the record is not changed.
 */
export const users = `
ALTER TABLE api_keys ADD COLUMN is_limited_to_org INTEGER NOT NULL DEFAULT 0;
UPDATE api_keys SET is_limited_to_org = 1 WHERE owner_kind = 'user' AND owner IN (
  SELECT owner FROM (
    SELECT org, owner FROM api_keys WHERE owner_kind = 'user' UNION SELECT org, user FROM members
  ) GROUP BY owner HAVING count(*) > 1
);
CREATE INDEX api_keys_by_user ON api_keys (owner) WHERE owner_kind = 'user';
${nameAccounts.join('\n')}
`;
