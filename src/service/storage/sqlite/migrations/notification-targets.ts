/**
 * Why the latest attempt at a target failed, and the secrets that its webhooks are signed with (JSON, the newest first).
 * Webhooks of before have no secret and stay unsigned until one is made for them.
 */
export const notificationTargets = `
ALTER TABLE notification_targets ADD COLUMN last_error TEXT;
ALTER TABLE notification_targets ADD COLUMN last_error_at REAL;
ALTER TABLE notification_targets ADD COLUMN signing_secrets TEXT NOT NULL DEFAULT '[]';
`;
