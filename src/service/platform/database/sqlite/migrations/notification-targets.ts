/**
 * The error of a target's latest attempt, and the signing secrets of its webhooks (JSON, newest first). Existing
 * webhooks have no secret and stay unsigned until one is created for them.
 */
export const notificationTargets = `
ALTER TABLE notification_targets ADD COLUMN last_error TEXT;
ALTER TABLE notification_targets ADD COLUMN last_error_at REAL;
ALTER TABLE notification_targets ADD COLUMN signing_secrets TEXT NOT NULL DEFAULT '[]';
`;
