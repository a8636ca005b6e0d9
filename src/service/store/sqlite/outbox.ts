import type { DatabaseSync } from 'node:sqlite';
import type { EnvironmentEvent } from '../../domain/environment-event.ts';

const targetsOfEvent = `SELECT t.number, t.position FROM notification_subjects s JOIN notification_targets t USING (org, number)
  WHERE s.org = ? AND s.environment = ? AND s."trigger" = ?`;

const addDelivery = `INSERT INTO deliveries (org, number, position, sequence, event)
  SELECT ?1, ?2, ?3, coalesce(max(sequence), 0) + 1, ?4 FROM deliveries WHERE org = ?1 AND number = ?2 AND position = ?3`;

const makeDue = `UPDATE notification_targets SET due_at = coalesce(due_at, ?)
  WHERE org = ? AND number = ? AND position = ?`;

const anyListener = 'SELECT 1 FROM notification_subjects WHERE org = ? AND environment = ? LIMIT 1';

/** Whether any notification fires on events of this environment. */
export function hasListeners(database: DatabaseSync, org: string, environment: string): boolean {
  return database.prepare(anyListener).get(org, environment) !== undefined;
}

/**
 * Puts the events into the outbox, once for each target of each notification that fires on them. Call it within the
 * transaction that makes the events true: both are kept, or neither. An event that nobody waits for leaves nothing.
 */
export function recordEvents(database: DatabaseSync, events: readonly EnvironmentEvent[]): void {
  if (events.length === 0) return;
  const [find, add, due] = [targetsOfEvent, addDelivery, makeDue].map((text) => database.prepare(text));
  for (const event of events) {
    const { org, environment, trigger, timestamp } = event;
    for (const { number = null, position = null } of find?.all(org, environment, trigger) ?? []) {
      add?.run(org, number, position, JSON.stringify(event));
      due?.run(timestamp, org, number, position);
    }
  }
}
