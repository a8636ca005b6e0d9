import type { DatabaseSync } from 'node:sqlite';
import type { EnvironmentEvent } from '../../domain/environment-event.ts';
import { toMessages } from '../../domain/event-digest.ts';
import { number } from './rows.ts';

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
 * Puts the events into the outbox, once for each target of each notification that fires on them; many events of one
 * snapshot as a digest. Call it within the transaction that makes the events true: both are kept, or neither. An event that
 * nobody waits for leaves nothing.
 */
export function recordEvents(database: DatabaseSync, events: readonly EnvironmentEvent[]): void {
  if (events.length === 0) return;
  const [add, due] = [addDelivery, makeDue].map((text) => database.prepare(text));
  for (const { org, number, position, events: wanted } of wantedEvents(database, events)) {
    for (const event of toMessages(wanted)) {
      add?.run(org, number, position, JSON.stringify(event));
      due?.run(event.timestamp, org, number, position);
    }
  }
}

/** A target, and the events that its notification fires on. */
interface WantedEvents {
  readonly org: string;
  readonly number: number;
  readonly position: number;
  readonly events: EnvironmentEvent[];
}

function wantedEvents(database: DatabaseSync, events: readonly EnvironmentEvent[]): readonly WantedEvents[] {
  const find = database.prepare(targetsOfEvent);
  const wanted = new Map<string, WantedEvents>();
  const kinds = Map.groupBy(events, ({ org, environment, trigger }) => `${org}/${environment}/${trigger}`);
  const targets = new Map(
    [...kinds].map(([kind, [event]]) => {
      const rows = event === undefined ? [] : find.all(event.org, event.environment, event.trigger);
      return [kind, rows.map((row) => ({ number: number(row, 'number'), position: number(row, 'position') }))];
    }),
  );
  for (const event of events) {
    const { org, environment, trigger } = event;
    for (const target of targets.get(`${org}/${environment}/${trigger}`) ?? []) {
      const key = `${org}/${target.number}/${target.position}`;
      const known = wanted.get(key) ?? { org, ...target, events: [] };
      known.events.push(event);
      wanted.set(key, known);
    }
  }
  return [...wanted.values()];
}
