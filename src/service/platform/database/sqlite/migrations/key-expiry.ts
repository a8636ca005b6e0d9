/**
 * Every key expires. Keys that did not expire before live another 365 days from the migration, so that none stops working
 * because of it; from the newest key, if the clock is behind that. `INSERT OR REPLACE` deletes rows without the trigger
 * for deletions, so the audit log refuses it on its own.
 */
export const keyExpiry = `
UPDATE api_keys SET expires_at = 365 * 86400 + max(unixepoch(), (SELECT ceil(max(created_at)) FROM api_keys))
  WHERE expires_at IS NULL;

CREATE TRIGGER audit_events_keep_replaced BEFORE INSERT ON audit_events
  WHEN EXISTS (SELECT 1 FROM audit_events WHERE org = NEW.org AND number = NEW.number)
  BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
`;
