import type { NotificationTarget } from '../../contract/notification.ts';
import { defineStatements, either, Repository } from '../platform/database/database.ts';
import { column, json, number, optional, optionalNumber, type Row, text, toRecord } from '../platform/database/rows.ts';
import type { NewNotification, NotificationRecord, TargetReference, TargetState } from './notification.ts';
import type { SigningSecret } from './webhook-secret.ts';

export type NotificationUpdate = Pick<
  NotificationRecord,
  'org' | 'number' | 'name' | 'environments' | 'triggers' | 'lastModifiedAt'
>;

export interface NewTarget {
  readonly target: NotificationTarget;
  readonly secret: SigningSecret | undefined;
}

const columns = 'org, number, name, environments, triggers, created_at, created_by, last_modified_at';
const selectTargets = `SELECT t.org, t.number, t.position, t.target, t.due_at, t.attempts, t.last_success_at,
    t.last_error, t.last_error_at, t.signing_secrets, (SELECT count(*) FROM deliveries d
      WHERE d.org = t.org AND d.number = t.number AND d.position = t.position) AS waiting
  FROM notification_targets t WHERE t.org = $1`;

/** The texts of a column with a JSON list, each as `value`. */
function elementsOf(column: string): string {
  return either(`json_each(${column})`, `json_array_elements_text(${column}::json)`);
}

const statements = defineStatements('notifications', {
  list: `SELECT ${columns} FROM notifications WHERE org = $1 AND deleted_at IS NULL ORDER BY number`,
  listTargets: `${selectTargets} ORDER BY t.number, t.position`,
  find: `SELECT ${columns} FROM notifications WHERE org = $1 AND number = $2 AND deleted_at IS NULL`,
  findTargets: `${selectTargets} AND t.number = $2 ORDER BY t.position`,

  insert: `INSERT INTO notifications (org, number, name, environments, triggers, created_at, created_by)
    VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM notifications WHERE org = $1), $2, $3, $4, $5, $6)
    RETURNING number`,
  insertSubjects: `INSERT INTO notification_subjects (org, number, environment, "trigger")
    SELECT n.org, n.number, e.value, t.value FROM notifications n
      CROSS JOIN ${elementsOf('n.environments')} e CROSS JOIN ${elementsOf('n.triggers')} t
    WHERE n.org = $1 AND n.number = $2 ON CONFLICT DO NOTHING`,
  insertTarget: `INSERT INTO notification_targets (org, number, position, target, signing_secrets)
    VALUES ($1, $2, $3, $4, $5)`,
  update: `UPDATE notifications SET name = $3, environments = $4, triggers = $5, last_modified_at = $6
    WHERE org = $1 AND number = $2`,
  replaceSecrets: `UPDATE notification_targets SET signing_secrets = $4
    WHERE org = $1 AND number = $2 AND position = $3`,
  markDeleted: 'UPDATE notifications SET deleted_at = $3 WHERE org = $1 AND number = $2 AND deleted_at IS NULL',
  deleteSubjects: 'DELETE FROM notification_subjects WHERE org = $1 AND number = $2',
  findLastBroadcast: `SELECT max((w.value ->> 1)::bigint) AS position
    FROM broadcasts b, ${either('json_each(b.targets)', 'json_array_elements(b.targets::json)')} w
    WHERE b.org = $1 AND (w.value ->> 0)::bigint = $2`,
  deleteDeliveries: 'DELETE FROM deliveries WHERE org = $1 AND number = $2 AND position = $3',
  deleteTarget: 'DELETE FROM notification_targets WHERE org = $1 AND number = $2 AND position = $3',
});

/** Reads notifications, without deleted ones. */
export class NotificationReader extends Repository {
  async find(org: string, wanted: number): Promise<NotificationRecord | undefined> {
    const [[row], targets] = await Promise.all([
      this.query(statements.find, [org, wanted]),
      this.query(statements.findTargets, [org, wanted]),
    ]);
    return optional(row, (found) => toNotification(found, targets));
  }

  /** The notifications of the organization, sorted by number. */
  async list(org: string): Promise<readonly NotificationRecord[]> {
    const [rows, targets] = await Promise.all([
      this.query(statements.list, [org]),
      this.query(statements.listTargets, [org]),
    ]);
    const targetsOf = Map.groupBy(targets, (target) => number(target, 'number'));
    return rows.map((row) => toNotification(row, targetsOf.get(number(row, 'number')) ?? []));
  }
}

export class NotificationWriter extends NotificationReader {
  /** Inserts a notification and returns its number. Its organization must exist. */
  async insert(notification: NewNotification, targets: readonly NewTarget[]): Promise<number> {
    const { org, name, environments, triggers, createdAt, createdBy } = notification;
    const lists = [JSON.stringify(environments), JSON.stringify(triggers)];
    const values = [org, name, ...lists, createdAt, createdBy];
    const [row = {}] = await this.query(statements.insert, values);
    const inserted = number(row, 'number');
    await Promise.all([
      this.run(statements.insertSubjects, [org, inserted]),
      this.#insertTargets({ org, number: inserted, position: 0 }, targets),
    ]);
    return inserted;
  }

  async update(notification: NotificationUpdate): Promise<void> {
    const { org, number: of, name, environments, triggers, lastModifiedAt } = notification;
    const lists = [JSON.stringify(environments), JSON.stringify(triggers)];
    await Promise.all([
      this.run(statements.update, [org, of, name, ...lists, lastModifiedAt]),
      this.run(statements.deleteSubjects, [org, of]),
      this.run(statements.insertSubjects, [org, of]),
    ]);
  }

  /**
   * Deletes the targets of a notification, with their deliveries, except those at these positions, and adds new ones
   * behind them.
   */
  async replaceTargets(
    { org, number: of }: { readonly org: string; readonly number: number },
    kept: readonly number[],
    added: readonly NewTarget[],
  ): Promise<void> {
    const rows = await this.query(statements.findTargets, [org, of]);
    const positions = rows.map((row) => number(row, 'position'));
    const unwanted = positions.filter((position) => !kept.includes(position));
    // Not the position of a target that was deleted: a delivery to it may be running here, or it may be in a broadcast.
    const [broadcast = {}] = await this.query(statements.findLastBroadcast, [org, of]);
    const last = Math.max(optionalNumber(broadcast, 'position') ?? -1, ...positions);
    const next = { org, number: of, position: last + 1 };
    await Promise.all([
      ...unwanted.map((position) => this.run(statements.deleteDeliveries, [org, of, position])),
      ...unwanted.map((position) => this.run(statements.deleteTarget, [org, of, position])),
      this.#insertTargets(next, added),
    ]);
  }

  /** Inserts targets, the first of them at this place. */
  async #insertTargets({ org, number: of, position }: TargetReference, added: readonly NewTarget[]): Promise<void> {
    const inserted = added.map(({ target, secret }, index) => {
      const secrets = JSON.stringify(secret === undefined ? [] : [secret]);
      return this.run(statements.insertTarget, [org, of, position + index, JSON.stringify(target), secrets]);
    });
    await Promise.all(inserted);
  }

  replaceSecrets({ org, number: of, position }: TargetReference, secrets: readonly SigningSecret[]): Promise<void> {
    return this.run(statements.replaceSecrets, [org, of, position, JSON.stringify(secrets)]);
  }

  /** Deletes the notification with its targets and their deliveries. Its number is not reused. */
  async delete(org: string, unwanted: number, deletedAt: number): Promise<'deleted' | 'not found'> {
    if ((await this.change(statements.markDeleted, [org, unwanted, deletedAt])) === 0) return 'not found';
    await this.run(statements.deleteSubjects, [org, unwanted]);
    await this.replaceTargets({ org, number: unwanted }, [], []);
    return 'deleted';
  }
}

const toHead = toRecord<Omit<NotificationRecord, 'targets'>>({
  ...{ org: text, number, name: text, environments: json, triggers: json, createdAt: number, createdBy: text },
  lastModifiedAt: (row, column) => optionalNumber(row, column) ?? number(row, 'created_at'),
});

function toNotification(row: Row, targets: readonly Row[]): NotificationRecord {
  return { ...toHead(row), targets: targets.map(toTargetState) };
}

/** Converts a row to a target with the state of its deliveries. */
const toTargetState = toRecord<TargetState>({
  ...{ position: number, target: json, secrets: column('signing_secrets', json), waiting: number, attempts: number },
  ...{ dueAt: optionalNumber, lastSuccessAt: optionalNumber, lastError: toLastError },
});

function toLastError(row: Row): TargetState['lastError'] {
  return optional(optionalNumber(row, 'last_error_at'), (at) => ({ reason: text(row, 'last_error'), at }));
}
