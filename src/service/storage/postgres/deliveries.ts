import type { Value } from '../database.ts';
import type { Delivery, DeliveryFailure, DueTarget } from '../../domain/notifications.ts';
import {
  claimSeconds,
  type Claim,
  type DeliveryReader,
  type DeliveryWriter,
  type DueQuery,
  type ListeningTarget,
  type NewDelivery,
  type WaitingTarget,
} from '../deliveries.ts';
import type { TargetReference } from '../notifications.ts';
import { number, optional, optionalNumber } from '../rows.ts';
import { toDelivery, toDueTarget, toListeningTarget, toWaitingTarget } from '../rows/deliveries.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

/** Whether no other process than the one in the parameter has claimed a target. */
const isFreeFor = (claimant: string): string =>
  `(claimed_until IS NULL OR claimed_until <= now() OR claimed_by = ${claimant})`;

const reading = defineStatements('deliveries', {
  listListeners: `SELECT t.org, t.number, t.position, s.trigger
    FROM notification_subjects s JOIN notification_targets t USING (org, number)
    WHERE s.org = $1 AND s.environment = $2 ORDER BY t.number, t.position`,
  listDue: `SELECT org, number, position, failing FROM (
      SELECT org, number, position, due_at, (attempts > 0)::integer AS failing,
        row_number() OVER (PARTITION BY org, attempts > 0 ORDER BY due_at, number, position) AS place
      FROM notification_targets WHERE due_at <= $1 AND ${isFreeFor('$3')}
    ) AS due WHERE place <= $2 ORDER BY due_at, org, number, position`,
  listDueAfter: 'SELECT org, number, position, due_at, attempts FROM notification_targets WHERE due_at > $1',
  findNextDue: 'SELECT min(due_at) AS due_at FROM notification_targets WHERE due_at > $1',
  findFirst: `SELECT t.org, t.number, t.position, t.target, t.attempts, t.signing_secrets, d.sequence, d.event
    FROM deliveries d JOIN notification_targets t USING (org, number, position)
    WHERE d.org = $1 AND d.number = $2 AND d.position = $3 ORDER BY d.sequence LIMIT 1`,
});

/** The targets in the parameters, in their order. */
const targets = 'unnest($1::text[], $2::bigint[], $3::bigint[])';

/** The target `t` is due then if a delivery waits for it. */
const dueIfWaiting = (time: string): string => `CASE WHEN EXISTS (SELECT 1 FROM deliveries d
    WHERE d.org = t.org AND d.number = t.number AND d.position = t.position) THEN ${time}::double precision END`;

const writing = defineStatements('deliveries', {
  // Others are about to claim or to change a row that they have locked. This lock allows insertions of deliveries.
  claim: `WITH free AS MATERIALIZED (
      SELECT org, number, position, place
      FROM ${targets} WITH ORDINALITY AS wanted (org, number, position, place)
        JOIN notification_targets t USING (org, number, position)
      WHERE t.due_at <= $4 AND ${isFreeFor('$6')}
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )
    UPDATE notification_targets t SET claimed_until = now() + make_interval(secs => $5), claimed_by = $6
    FROM free
    WHERE t.org = free.org AND t.number = free.number AND t.position = free.position
    RETURNING free.place`,
  release: `UPDATE notification_targets t SET claimed_until = NULL FROM ${targets} AS claimed (org, number, position)
    WHERE t.org = claimed.org AND t.number = claimed.number AND t.position = claimed.position AND t.claimed_by = $4`,
  insert: `WITH added AS MATERIALIZED (
      SELECT org, number, position, event, due_at, place
      FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::double precision[]) WITH ORDINALITY
        AS new (org, number, position, event, due_at, place)
    ), first AS (
      SELECT DISTINCT ON (org, number, position) org, number, position, due_at
      FROM added ORDER BY org, number, position, place
    ), waking AS (
      UPDATE notification_targets t SET due_at = first.due_at FROM first
      WHERE t.org = first.org AND t.number = first.number AND t.position = first.position AND t.due_at IS NULL
    )
    INSERT INTO deliveries (org, number, position, event) SELECT org, number, position, event FROM added ORDER BY place`,
  delete: 'DELETE FROM deliveries WHERE org = $1 AND number = $2 AND position = $3 AND sequence = $4',
  setDue: `UPDATE notification_targets t SET due_at = $4 FROM ${targets} AS waiting (org, number, position)
    WHERE t.org = waiting.org AND t.number = waiting.number AND t.position = waiting.position
      AND t.due_at IS NOT NULL`,
  recordSuccess: `UPDATE notification_targets t
    SET attempts = 0, last_success_at = $4, last_error = NULL, last_error_at = NULL, claimed_until = NULL,
      due_at = ${dueIfWaiting('$4')}
    WHERE org = $1 AND number = $2 AND position = $3`,
  recordFailure: `UPDATE notification_targets t
    SET attempts = attempts + 1, last_error = $4, last_error_at = $5, claimed_until = NULL, due_at = ${dueIfWaiting('$6')}
    WHERE org = $1 AND number = $2 AND position = $3`,
});

/** The outbox in PostgreSQL, for reading. */
export class PostgresDeliveryReader implements DeliveryReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async listListeners(org: string, environment: string): Promise<readonly ListeningTarget[]> {
    return (await this.session.query(reading.listListeners, [org, environment])).map(toListeningTarget);
  }

  async listDue({ now, limit, claimant }: DueQuery): Promise<readonly DueTarget[]> {
    return (await this.session.query(reading.listDue, [now, limit, claimant])).map(toDueTarget);
  }

  async listDueAfter(time: number): Promise<readonly WaitingTarget[]> {
    return (await this.session.query(reading.listDueAfter, [time])).map(toWaitingTarget);
  }

  async findNextDue(after: number): Promise<number | undefined> {
    const [row = {}] = await this.session.query(reading.findNextDue, [after]);
    return optionalNumber(row, 'due_at');
  }

  async findFirst({ org, number: of, position }: TargetReference): Promise<Delivery | undefined> {
    const [row] = await this.session.query(reading.findFirst, [org, of, position]);
    return optional(row, toDelivery);
  }
}

/** The outbox in PostgreSQL, for writing. */
export class PostgresDeliveryWriter extends PostgresDeliveryReader implements DeliveryWriter {
  async claim<Target extends TargetReference>(
    wanted: readonly Target[],
    { now, claimant }: Claim,
  ): Promise<readonly Target[]> {
    const rows = await this.session.query(writing.claim, [...toParameters(wanted), now, claimSeconds, claimant]);
    const places = new Set(rows.map((row) => number(row, 'place')));
    return wanted.filter((_, index) => places.has(index + 1));
  }

  release(claimed: readonly TargetReference[], claimant: string): Promise<void> {
    return this.session.run(writing.release, [...toParameters(claimed), claimant]);
  }

  insert(deliveries: readonly NewDelivery[]): Promise<void> {
    return this.session.run(writing.insert, [
      ...toParameters(deliveries),
      deliveries.map(({ event }) => JSON.stringify(event)),
      deliveries.map(({ event }) => event.timestamp),
    ]);
  }

  delete({ org, number: of, position, sequence }: Delivery): Promise<void> {
    return this.session.run(writing.delete, [org, of, position, sequence]);
  }

  setDue(waiting: readonly TargetReference[], dueAt: number): Promise<void> {
    return this.session.run(writing.setDue, [...toParameters(waiting), dueAt]);
  }

  recordSuccess({ org, number: of, position }: TargetReference, at: number): Promise<void> {
    return this.session.run(writing.recordSuccess, [org, of, position, at]);
  }

  recordFailure({ org, number: of, position }: TargetReference, failure: DeliveryFailure): Promise<void> {
    const { reason, at, until } = failure;
    return this.session.run(writing.recordFailure, [org, of, position, reason, at, until]);
  }
}

function toParameters(references: readonly TargetReference[]): readonly Value[] {
  return [
    references.map(({ org }) => org),
    references.map(({ number: of }) => of),
    references.map(({ position }) => position),
  ];
}
