import type { Delivery, DeliveryFailure, DueTarget } from '../../domain/notifications.ts';
import type {
  DeliveryReader,
  DeliveryWriter,
  DueQuery,
  ListeningTarget,
  NewDelivery,
  WaitingTarget,
} from '../deliveries.ts';
import type { TargetReference } from '../notifications.ts';
import { optional, optionalNumber } from '../rows.ts';
import { toDelivery, toDueTarget, toListeningTarget, toWaitingTarget } from '../rows/deliveries.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  listListeners: `SELECT t.org, t.number, t.position, s."trigger"
    FROM notification_subjects s JOIN notification_targets t USING (org, number)
    WHERE s.org = ? AND s.environment = ? ORDER BY t.number, t.position`,
  listDue: `SELECT org, number, position, failing FROM (
      SELECT org, number, position, due_at, attempts > 0 AS failing,
        row_number() OVER (PARTITION BY org, attempts > 0 ORDER BY due_at, number, position) AS place
      FROM notification_targets WHERE due_at <= ?
    ) WHERE place <= ? ORDER BY due_at, org, number, position`,
  listDueAfter: 'SELECT org, number, position, due_at, attempts FROM notification_targets WHERE due_at > ?',
  findNextDue: 'SELECT min(due_at) AS due_at FROM notification_targets WHERE due_at > ?',
  findFirst: `SELECT t.*, d.sequence, d.event FROM deliveries d JOIN notification_targets t USING (org, number, position)
    WHERE d.org = ? AND d.number = ? AND d.position = ? ORDER BY d.sequence LIMIT 1`,
} as const;

const writing = {
  insert: `INSERT INTO deliveries (org, number, position, sequence, event)
    SELECT ?1, ?2, ?3, coalesce(max(sequence), 0) + 1, ?4
      FROM deliveries WHERE org = ?1 AND number = ?2 AND position = ?3`,
  setFirstDue: `UPDATE notification_targets SET due_at = coalesce(due_at, ?)
    WHERE org = ? AND number = ? AND position = ?`,
  delete: 'DELETE FROM deliveries WHERE org = ? AND number = ? AND position = ? AND sequence = ?',
  setDue: `UPDATE notification_targets SET due_at = ?
    WHERE org = ? AND number = ? AND position = ? AND due_at IS NOT NULL`,
  recordSuccess: `UPDATE notification_targets
    SET attempts = 0, last_success_at = ?, last_error = NULL, last_error_at = NULL
    WHERE org = ? AND number = ? AND position = ?`,
  recordFailure: `UPDATE notification_targets SET attempts = attempts + 1, last_error = ?, last_error_at = ?
    WHERE org = ? AND number = ? AND position = ?`,
  setNextDue: `UPDATE notification_targets AS t SET due_at = iif(EXISTS (
      SELECT 1 FROM deliveries d WHERE d.org = t.org AND d.number = t.number AND d.position = t.position
    ), ?, NULL) WHERE org = ? AND number = ? AND position = ?`,
} as const;

/** The outbox in SQLite, for reading. */
export class SqliteDeliveryReader implements DeliveryReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  listListeners(org: string, environment: string): Promise<readonly ListeningTarget[]> {
    return this.session.execute(() => this.#statements.listListeners.all(org, environment).map(toListeningTarget));
  }

  listDue({ now, limit }: DueQuery): Promise<readonly DueTarget[]> {
    return this.session.execute(() => this.#statements.listDue.all(now, limit).map(toDueTarget));
  }

  listDueAfter(time: number): Promise<readonly WaitingTarget[]> {
    return this.session.execute(() => this.#statements.listDueAfter.all(time).map(toWaitingTarget));
  }

  findNextDue(after: number): Promise<number | undefined> {
    return this.session.execute(() => optionalNumber(this.#statements.findNextDue.get(after) ?? {}, 'due_at'));
  }

  findFirst({ org, number: of, position }: TargetReference): Promise<Delivery | undefined> {
    return this.session.execute(() => optional(this.#statements.findFirst.get(org, of, position), toDelivery));
  }
}

/** The outbox in SQLite, for writing. */
export class SqliteDeliveryWriter extends SqliteDeliveryReader implements DeliveryWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insert(deliveries: readonly NewDelivery[]): Promise<void> {
    return this.session.execute(() => {
      for (const { org, number: of, position, event } of deliveries) {
        this.#statements.insert.run(org, of, position, JSON.stringify(event));
        this.#statements.setFirstDue.run(event.timestamp, org, of, position);
      }
    });
  }

  delete({ org, number: of, position, sequence }: Delivery): Promise<void> {
    return this.session.execute(() => {
      this.#statements.delete.run(org, of, position, sequence);
    });
  }

  /** Only this process delivers. */
  claim<Target extends TargetReference>(targets: readonly Target[]): Promise<readonly Target[]> {
    return Promise.resolve(targets);
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  setDue(targets: readonly TargetReference[], dueAt: number): Promise<void> {
    return this.session.execute(() => {
      for (const { org, number: of, position } of targets) this.#statements.setDue.run(dueAt, org, of, position);
    });
  }

  recordSuccess({ org, number: of, position }: TargetReference, at: number): Promise<void> {
    return this.session.execute(() => {
      this.#statements.recordSuccess.run(at, org, of, position);
      this.#statements.setNextDue.run(at, org, of, position);
    });
  }

  recordFailure({ org, number: of, position }: TargetReference, { reason, at, until }: DeliveryFailure): Promise<void> {
    return this.session.execute(() => {
      this.#statements.recordFailure.run(reason, at, org, of, position);
      this.#statements.setNextDue.run(until, org, of, position);
    });
  }
}
