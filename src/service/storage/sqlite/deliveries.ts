import { triggers } from '../../../contract/notification.ts';
import type { DeliveryWriter, ListeningTarget, NewDelivery } from '../deliveries.ts';
import { number, text, type Row } from './rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const texts = {
  listListeners: `SELECT s.org, s."trigger", t.number, t.position
    FROM notification_subjects s JOIN notification_targets t USING (org, number)
    WHERE s.org = ? AND s.environment = ?`,
  insert: `INSERT INTO deliveries (org, number, position, sequence, event)
    SELECT ?1, ?2, ?3, coalesce(max(sequence), 0) + 1, ?4 FROM deliveries
    WHERE org = ?1 AND number = ?2 AND position = ?3`,
  setDue: `UPDATE notification_targets SET due_at = coalesce(due_at, ?)
    WHERE org = ? AND number = ? AND position = ?`,
} as const;

/** The outbox in SQLite, as far as judging writes it. */
export class SqliteDeliveryWriter implements Pick<DeliveryWriter, 'listListeners' | 'insert'> {
  readonly #session: Session;
  readonly #statements: Prepared<typeof texts>;

  constructor(session: Session) {
    this.#session = session;
    this.#statements = prepare(session.database, texts);
  }

  listListeners(org: string, environment: string): Promise<readonly ListeningTarget[]> {
    return this.#session.answer(() => this.#statements.listListeners.all(org, environment).map(listenerOf));
  }

  insert(deliveries: readonly NewDelivery[]): Promise<void> {
    const { insert, setDue } = this.#statements;
    return this.#session.answer(() => {
      for (const { org, number: of, position, event } of deliveries) {
        insert.run(org, of, position, JSON.stringify(event));
        setDue.run(event.timestamp, org, of, position);
      }
    });
  }
}

function listenerOf(row: Row): ListeningTarget {
  const trigger = triggers.find((known) => known === row['trigger']);
  if (trigger === undefined) throw new TypeError('a stored notification is damaged');
  return { org: text(row, 'org'), number: number(row, 'number'), position: number(row, 'position'), trigger };
}
