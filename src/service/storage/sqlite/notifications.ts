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
import { prepare, type Prepared } from './statements.ts';

const reading = {
  list: 'SELECT * FROM notifications WHERE org = ? AND deleted_at IS NULL ORDER BY number',
  find: 'SELECT * FROM notifications WHERE org = ? AND number = ? AND deleted_at IS NULL',
  targets: 'SELECT * FROM notification_targets WHERE org = ? AND number = ? ORDER BY position',
  waiting: 'SELECT count(*) AS count FROM deliveries WHERE org = ? AND number = ? AND position = ?',
} as const;

const writing = {
  nextNumber: 'SELECT coalesce(max(number), 0) + 1 AS next FROM notifications WHERE org = ?',
  insert: `INSERT INTO notifications (org, number, name, environments, triggers, created_at, created_by)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  insertSubject: `INSERT INTO notification_subjects (org, environment, "trigger", number) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  insertTarget: `INSERT INTO notification_targets (org, number, position, target, signing_secrets)
    VALUES (?, ?, ?, ?, ?)`,
  update: `UPDATE notifications SET name = ?, environments = ?, triggers = ?, last_modified_at = ?
    WHERE org = ? AND number = ?`,
  listPositions: 'SELECT position FROM notification_targets WHERE org = ? AND number = ? ORDER BY position',
  deleteDeliveriesTo: 'DELETE FROM deliveries WHERE org = ? AND number = ? AND position = ?',
  deleteTarget: 'DELETE FROM notification_targets WHERE org = ? AND number = ? AND position = ?',
  replaceSecrets: 'UPDATE notification_targets SET signing_secrets = ? WHERE org = ? AND number = ? AND position = ?',
  markDeleted: 'UPDATE notifications SET deleted_at = ? WHERE org = ? AND number = ? AND deleted_at IS NULL',
  deleteDeliveries: 'DELETE FROM deliveries WHERE org = ? AND number = ?',
  deleteTargets: 'DELETE FROM notification_targets WHERE org = ? AND number = ?',
  deleteSubjects: 'DELETE FROM notification_subjects WHERE org = ? AND number = ?',
} as const;

/** Notifications in SQLite, for reading. */
export class SqliteNotificationReader implements NotificationReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(org: string, wanted: number): Promise<NotificationRecord | undefined> {
    const { find, targets } = this.#statements;
    return this.session.execute(() =>
      optional(find.get(org, wanted), (row) => toNotificationRecord(row, targets.all(org, wanted))),
    );
  }

  list(org: string): Promise<readonly NotificationRecord[]> {
    const { list, targets } = this.#statements;
    return this.session.execute(() =>
      list.all(org).map((row) => toNotificationRecord(row, targets.all(org, number(row, 'number')))),
    );
  }

  findTargets(org: string, wanted: number): Promise<readonly TargetState[] | undefined> {
    const { find, targets, waiting } = this.#statements;
    return this.session.execute(() => {
      if (find.get(org, wanted) === undefined) return undefined;
      return targets.all(org, wanted).map((row) => {
        const count = number(waiting.get(org, wanted, number(row, 'position')) ?? {}, 'count');
        return toTargetState(row, count);
      });
    });
  }
}

/** Notifications in SQLite, for writing. */
export class SqliteNotificationWriter extends SqliteNotificationReader implements NotificationWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  update(notification: NotificationUpdate): Promise<void> {
    const { org, number: of, name, environments, triggers, lastModifiedAt } = notification;
    const { update, deleteSubjects } = this.#statements;
    return this.session.execute(() => {
      update.run(name, JSON.stringify(environments), JSON.stringify(triggers), lastModifiedAt, org, of);
      deleteSubjects.run(org, of);
      this.#insertSubjects({ org, environments, triggers }, of);
    });
  }

  replaceTargets(
    { org, number: of }: { readonly org: string; readonly number: number },
    kept: readonly number[],
    added: readonly NewTarget[],
  ): Promise<void> {
    const { listPositions, deleteDeliveriesTo, deleteTarget, insertTarget } = this.#statements;
    return this.session.execute(() => {
      const positions = listPositions.all(org, of).map((row) => number(row, 'position'));
      for (const position of positions.filter((known) => !kept.includes(known))) {
        for (const statement of [deleteDeliveriesTo, deleteTarget]) statement.run(org, of, position);
      }
      // Not the position of a target that was just deleted: a delivery to it may be running.
      const next = Math.max(-1, ...positions) + 1;
      for (const [index, { target, secret }] of added.entries()) {
        const signing = JSON.stringify(secret === undefined ? [] : [secret]);
        insertTarget.run(org, of, next + index, JSON.stringify(target), signing);
      }
    });
  }

  #insertSubjects(
    { org, environments, triggers }: Pick<NewNotification, 'org' | 'environments' | 'triggers'>,
    of: number,
  ): void {
    for (const environment of environments) {
      for (const trigger of triggers) this.#statements.insertSubject.run(org, environment, trigger, of);
    }
  }

  insert(notification: NewNotification, secrets: ReadonlyMap<number, SigningSecret>): Promise<number> {
    const { org, name, environments, triggers, targets, createdAt, createdBy } = notification;
    const { nextNumber, insert, insertTarget } = this.#statements;
    return this.session.execute(() => {
      const next = number(nextNumber.get(org) ?? {}, 'next');
      insert.run(org, next, name, JSON.stringify(environments), JSON.stringify(triggers), createdAt, createdBy);
      this.#insertSubjects({ org, environments, triggers }, next);
      for (const [position, target] of targets.entries()) {
        const secret = secrets.get(position);
        const signing = JSON.stringify(secret === undefined ? [] : [secret]);
        insertTarget.run(org, next, position, JSON.stringify(target), signing);
      }
      return next;
    });
  }

  replaceSecrets({ org, number: of, position }: TargetReference, secrets: readonly SigningSecret[]): Promise<void> {
    const json = JSON.stringify(secrets);
    return this.session.execute(() => {
      this.#statements.replaceSecrets.run(json, org, of, position);
    });
  }

  delete(org: string, unwanted: number, deletedAt: number): Promise<'deleted' | 'not found'> {
    const { markDeleted, deleteDeliveries, deleteTargets, deleteSubjects } = this.#statements;
    return this.session.execute(() => {
      if (markDeleted.run(deletedAt, org, unwanted).changes === 0) return 'not found';
      for (const statement of [deleteDeliveries, deleteTargets, deleteSubjects]) statement.run(org, unwanted);
      return 'deleted';
    });
  }
}
