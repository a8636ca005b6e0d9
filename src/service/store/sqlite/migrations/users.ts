/**
 * Personal keys open every organization that their user is a member of; before, each key opened one. The names of users were
 * not kept apart either: two people could have the same name in two organizations. So the keys of a name that is found in
 * several organizations stay limited to theirs, and no key opens more than before.
 *
 * What a service account recorded says so (`actorName`). All keys there ever were are still in the table, so an organization
 * in which only a service account had keys under a name tells that the name is the account's.
 */
export const users = `
ALTER TABLE api_keys ADD COLUMN is_limited_to_org INTEGER NOT NULL DEFAULT 0;
UPDATE api_keys SET is_limited_to_org = 1 WHERE owner_kind = 'user' AND owner IN (
  SELECT owner FROM (
    SELECT org, owner FROM api_keys WHERE owner_kind = 'user' UNION SELECT org, user FROM members
  ) GROUP BY owner HAVING count(*) > 1
);
CREATE INDEX api_keys_by_user ON api_keys (owner) WHERE owner_kind = 'user';
`;
