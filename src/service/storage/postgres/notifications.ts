import type { Value } from '../database.ts';
import type { NewNotification, NotificationRecord, TargetState } from '../../domain/notifications.ts';
import type { SigningSecret } from '../../domain/webhook-secret.ts';
import type {
  NewTarget,
  NotificationReader,
  NotificationUpdate,
  NotificationWriter,
  TargetReference,
} from '../notifications.ts';
import { number, optional } from '../rows.ts';
import { toNotificationRecord, toTargetState } from '../rows/notifications.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

const columns = `n.org, n.number, n.name, n.environments, n.triggers, n.created_at, n.created_by, n.deleted_at,
  n.last_modified_at`;
const targetColumns = `t.org, t.number, t.position, t.target, t.due_at, t.attempts, t.last_success_at, t.last_error,
  t.last_error_at, t.signing_secrets`;

const reading = defineStatements('notifications', {
  list: `SELECT ${columns} FROM notifications n WHERE org = $1 AND deleted_at IS NULL ORDER BY number`,
  listTargets: `SELECT ${targetColumns} FROM notification_targets t WHERE org = $1 ORDER BY number, position`,
  find: `SELECT ${columns} FROM notifications n WHERE org = $1 AND number = $2 AND deleted_at IS NULL`,
  findTargets: `SELECT ${targetColumns} FROM notification_targets t WHERE org = $1 AND number = $2 ORDER BY position`,
  findTargetStates: `SELECT ${targetColumns}, (SELECT count(*) FROM deliveries d
      WHERE d.org = t.org AND d.number = t.number AND d.position = t.position) AS waiting
    FROM notification_targets t WHERE t.org = $1 AND t.number = $2 ORDER BY t.position`,
});

const writing = defineStatements('notifications', {
  insert: `WITH added AS (
      INSERT INTO notifications (org, number, name, environments, triggers, created_at, created_by)
      SELECT $1::text, coalesce(max(number), 0) + 1, $2::text, array_to_json($3::text[])::text,
        array_to_json($4::text[])::text, $5::double precision, $6::text
        FROM notifications WHERE org = $1::text
      RETURNING org, number
    ), subjects AS (
      INSERT INTO notification_subjects (org, environment, trigger, number)
      SELECT org, environment, trigger, number
        FROM added, unnest($3::text[]) AS environment, unnest($4::text[]) AS trigger
      ON CONFLICT DO NOTHING
    ), targets AS (
      INSERT INTO notification_targets (org, number, position, target, signing_secrets)
      SELECT org, number, place - 1, target, secrets
        FROM added, unnest($7::text[], $8::text[]) WITH ORDINALITY AS new (target, secrets, place)
    )
    SELECT number FROM added`,
  update: `WITH changed AS (
      UPDATE notifications SET name = $3, environments = array_to_json($4::text[])::text,
        triggers = array_to_json($5::text[])::text, last_modified_at = $6
      WHERE org = $1 AND number = $2
      RETURNING org, number
    ), removed AS (
      DELETE FROM notification_subjects
      WHERE org = $1 AND number = $2 AND NOT (environment = ANY($4::text[]) AND trigger = ANY($5::text[]))
    )
    INSERT INTO notification_subjects (org, environment, trigger, number)
    SELECT org, environment, trigger, number
      FROM changed, unnest($4::text[]) AS environment, unnest($5::text[]) AS trigger
    ON CONFLICT DO NOTHING`,
  // The new positions are not those of targets that are deleted here: a delivery to them may be running.
  replaceTargets: `WITH latest AS (
      SELECT coalesce(max(position), -1) AS position FROM notification_targets WHERE org = $1 AND number = $2
    ), unsent AS (
      DELETE FROM deliveries WHERE org = $1 AND number = $2 AND position <> ALL ($3::bigint[])
    ), removed AS (
      DELETE FROM notification_targets WHERE org = $1 AND number = $2 AND position <> ALL ($3::bigint[])
    )
    INSERT INTO notification_targets (org, number, position, target, signing_secrets)
    SELECT $1, $2, latest.position + place, target, secrets
      FROM latest, unnest($4::text[], $5::text[]) WITH ORDINALITY AS new (target, secrets, place)`,
  replaceSecrets: `UPDATE notification_targets SET signing_secrets = $4
    WHERE org = $1 AND number = $2 AND position = $3`,
  delete: `WITH marked AS (
      UPDATE notifications SET deleted_at = $3 WHERE org = $1 AND number = $2 AND deleted_at IS NULL
      RETURNING org, number
    ), unsent AS (
      DELETE FROM deliveries d USING marked m WHERE d.org = $1 AND d.number = $2
    ), targets AS (
      DELETE FROM notification_targets t USING marked m WHERE t.org = $1 AND t.number = $2
    ), subjects AS (
      DELETE FROM notification_subjects s USING marked m WHERE s.org = $1 AND s.number = $2
    )
    SELECT 1 FROM marked`,
});

/** Notifications in PostgreSQL, for reading. */
export class PostgresNotificationReader implements NotificationReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async find(org: string, wanted: number): Promise<NotificationRecord | undefined> {
    const [[row], targets] = await Promise.all([
      this.session.query(reading.find, [org, wanted]),
      this.session.query(reading.findTargets, [org, wanted]),
    ]);
    return optional(row, (found) => toNotificationRecord(found, targets));
  }

  async list(org: string): Promise<readonly NotificationRecord[]> {
    const [rows, targets] = await Promise.all([
      this.session.query(reading.list, [org]),
      this.session.query(reading.listTargets, [org]),
    ]);
    const targetsOf = Map.groupBy(targets, (target) => number(target, 'number'));
    return rows.map((row) => toNotificationRecord(row, targetsOf.get(number(row, 'number')) ?? []));
  }

  async findTargets(org: string, wanted: number): Promise<readonly TargetState[] | undefined> {
    const [[found], targets] = await Promise.all([
      this.session.query(reading.find, [org, wanted]),
      this.session.query(reading.findTargetStates, [org, wanted]),
    ]);
    return found === undefined ? undefined : targets.map((row) => toTargetState(row, number(row, 'waiting')));
  }
}

/** Notifications in PostgreSQL, for writing. */
export class PostgresNotificationWriter extends PostgresNotificationReader implements NotificationWriter {
  async insert(notification: NewNotification, secrets: ReadonlyMap<number, SigningSecret>): Promise<number> {
    const { org, name, environments, triggers, targets, createdAt, createdBy } = notification;
    const added = targets.map((target, position) => ({ target, secret: secrets.get(position) }));
    const [row = {}] = await this.session.query(writing.insert, [
      ...[org, name, environments, triggers, createdAt, createdBy],
      ...toParameters(added),
    ]);
    return number(row, 'number');
  }

  update(notification: NotificationUpdate): Promise<void> {
    const { org, number: of, name, environments, triggers, lastModifiedAt } = notification;
    return this.session.run(writing.update, [org, of, name, environments, triggers, lastModifiedAt]);
  }

  replaceTargets(
    { org, number: of }: { readonly org: string; readonly number: number },
    kept: readonly number[],
    added: readonly NewTarget[],
  ): Promise<void> {
    return this.session.run(writing.replaceTargets, [org, of, kept, ...toParameters(added)]);
  }

  replaceSecrets({ org, number: of, position }: TargetReference, secrets: readonly SigningSecret[]): Promise<void> {
    return this.session.run(writing.replaceSecrets, [org, of, position, JSON.stringify(secrets)]);
  }

  async delete(org: string, unwanted: number, deletedAt: number): Promise<'deleted' | 'not found'> {
    const marked = await this.session.query(writing.delete, [org, unwanted, deletedAt]);
    return marked.length === 0 ? 'not found' : 'deleted';
  }
}

/** Returns the targets and their signing secrets, as JSON. */
function toParameters(targets: readonly NewTarget[]): readonly [Value, Value] {
  return [
    targets.map(({ target }) => JSON.stringify(target)),
    targets.map(({ secret }) => JSON.stringify(secret === undefined ? [] : [secret])),
  ];
}
