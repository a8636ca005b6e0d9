/**
 * Every key expires. Keys that did not expire before live another 365 days from the migration, so that none stops working
 * because of it; from the newest key, if the clock is behind that.
 */
export const keyExpiry = `
UPDATE api_keys SET expires_at = 365 * 86400 + max(unixepoch(), (SELECT ceil(max(created_at)) FROM api_keys))
  WHERE expires_at IS NULL;
`;
