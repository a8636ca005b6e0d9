import type { DatabaseSync } from 'node:sqlite';
import type { NotificationTarget, Trigger } from '../../../contract/notification.ts';
import type { EnvironmentEvent } from '../../domain/environment-event.ts';
import {
  isOverdue,
  type Delivery,
  type DeliveryFailure,
  type DueTarget,
  type NewNotification,
  type NotificationRecord,
  type TargetState,
} from '../../domain/notifications.ts';
import type { SigningSecret } from '../../domain/webhook-secret.ts';
import type { NotificationStore } from '../notification-store.ts';
import { optional } from './answers.ts';
import { number, text, type Row } from './rows.ts';
import { prepare, type Prepared } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';

const texts = {
  hasOrganization: 'SELECT 1 FROM organizations WHERE org = ?',
  nextNumber: 'SELECT coalesce(max(number), 0) + 1 AS next FROM notifications WHERE org = ?',
  create: `INSERT INTO notifications (org, number, name, environments, triggers, created_at, created_by)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  addSubject: `INSERT INTO notification_subjects (org, environment, "trigger", number) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  addTarget: `INSERT INTO notification_targets (org, number, position, target, signing_secrets)
    VALUES (?, ?, ?, ?, ?)`,
  find: 'SELECT * FROM notifications WHERE org = ? AND number = ? AND deleted_at IS NULL',
  targets: 'SELECT * FROM notification_targets WHERE org = ? AND number = ? ORDER BY position',
  waiting: 'SELECT count(*) AS count FROM deliveries WHERE org = ? AND number = ? AND position = ?',
  findTarget: `SELECT t.* FROM notification_targets t JOIN notifications n USING (org, number)
    WHERE t.org = ? AND t.number = ? AND t.position = ? AND n.deleted_at IS NULL`,
  setSecrets: 'UPDATE notification_targets SET signing_secrets = ? WHERE org = ? AND number = ? AND position = ?',
  markDeleted: 'UPDATE notifications SET deleted_at = ? WHERE org = ? AND number = ? AND deleted_at IS NULL',
  deleteDeliveries: 'DELETE FROM deliveries WHERE org = ? AND number = ?',
  deleteTargets: 'DELETE FROM notification_targets WHERE org = ? AND number = ?',
  deleteSubjects: 'DELETE FROM notification_subjects WHERE org = ? AND number = ?',

  due: `SELECT org, number, position, failing FROM (
      SELECT org, number, position, due_at, attempts > 0 AS failing,
        row_number() OVER (PARTITION BY org, attempts > 0 ORDER BY due_at, number, position) AS place
      FROM notification_targets WHERE due_at <= ?
    ) WHERE place <= ? ORDER BY due_at, org, number, position`,
  firstDelivery: `SELECT t.*, d.sequence, d.event FROM deliveries d JOIN notification_targets t USING (org, number, position)
    WHERE d.org = ? AND d.number = ? AND d.position = ? ORDER BY d.sequence LIMIT 1`,
  nextDue: 'SELECT min(due_at) AS due_at FROM notification_targets WHERE due_at > ?',
  dueLater: 'SELECT org, number, position, due_at, attempts FROM notification_targets WHERE due_at > ?',
  setDue: `UPDATE notification_targets SET due_at = ?
    WHERE org = ? AND number = ? AND position = ? AND due_at IS NOT NULL`,
  deleteDelivery: 'DELETE FROM deliveries WHERE org = ? AND number = ? AND position = ? AND sequence = ?',
  succeed: `UPDATE notification_targets SET attempts = 0, last_success_at = ?, last_error = NULL, last_error_at = NULL
    WHERE org = ? AND number = ? AND position = ?`,
  fail: `UPDATE notification_targets SET attempts = attempts + 1, last_error = ?, last_error_at = ?
    WHERE org = ? AND number = ? AND position = ?`,
  settle: `UPDATE notification_targets AS t SET due_at = iif(EXISTS (
      SELECT 1 FROM deliveries d WHERE d.org = t.org AND d.number = t.number AND d.position = t.position
    ), ?, NULL) WHERE org = ? AND number = ? AND position = ?`,
} as const;

/** Notifications and their outbox in SQLite. What puts events into the outbox is `outbox.ts`. */
export class SqliteNotifications implements NotificationStore {
  readonly #statements: Prepared<typeof texts>;
  readonly #queue: WriteQueue;

  constructor(database: DatabaseSync, queue: WriteQueue) {
    this.#statements = prepare(database, texts);
    this.#queue = queue;
  }

  createNotification(
    notification: NewNotification,
    secrets: ReadonlyMap<number, SigningSecret> = new Map(),
  ): Promise<number | 'organization not found'> {
    const { org, name, environments, triggers, targets, createdAt, createdBy } = notification;
    return this.#queue.write(() => {
      const { hasOrganization, nextNumber, create, addSubject, addTarget } = this.#statements;
      if (hasOrganization.get(org) === undefined) return 'organization not found';
      const next = number(nextNumber.get(org) ?? {}, 'next');
      create.run(org, next, name, JSON.stringify(environments), JSON.stringify(triggers), createdAt, createdBy);
      for (const environment of environments) {
        for (const trigger of triggers) addSubject.run(org, environment, trigger, next);
      }
      for (const [position, target] of targets.entries()) {
        const secret = secrets.get(position);
        const signing = JSON.stringify(secret === undefined ? [] : [secret]);
        addTarget.run(org, next, position, JSON.stringify(target), signing);
      }
      return next;
    });
  }

  findNotification(org: string, wanted: number): Promise<NotificationRecord | undefined> {
    return this.#queue.read(() =>
      optional(this.#statements.find.get(org, wanted), (row) =>
        notificationOf(row, this.#statements.targets.all(org, wanted)),
      ),
    );
  }

  findTargets(org: string, wanted: number): Promise<readonly TargetState[] | undefined> {
    return this.#queue.read(() => {
      const { find, targets, waiting } = this.#statements;
      if (find.get(org, wanted) === undefined) return undefined;
      return targets.all(org, wanted).map((row) => {
        const count = number(waiting.get(org, wanted, number(row, 'position')) ?? {}, 'count');
        return targetStateOf(row, count);
      });
    });
  }

  changeSecrets(
    { org, number: of, position }: Omit<DueTarget, 'failing'>,
    change: (secrets: readonly SigningSecret[]) => readonly SigningSecret[],
  ): Promise<readonly SigningSecret[] | 'not found'> {
    return this.#queue.write(() => {
      const row = this.#statements.findTarget.get(org, of, position);
      if (row === undefined || targetOf(row).type !== 'WEBHOOK') return 'not found';
      const changed = change(secretsOf(row));
      this.#statements.setSecrets.run(JSON.stringify(changed), org, of, position);
      return changed;
    });
  }

  deleteNotification(org: string, unwanted: number, deletedAt: number): Promise<'deleted' | 'not found'> {
    return this.#queue.write(() => {
      const { markDeleted, deleteDeliveries, deleteTargets, deleteSubjects } = this.#statements;
      if (markDeleted.run(deletedAt, org, unwanted).changes === 0) return 'not found';
      for (const statement of [deleteDeliveries, deleteTargets, deleteSubjects]) statement.run(org, unwanted);
      return 'deleted';
    });
  }

  dueTargets(now: number, limit: number): Promise<readonly DueTarget[]> {
    return this.#queue.read(() => this.#statements.due.all(now, limit).map(dueTargetOf));
  }

  firstDelivery({ org, number: of, position }: DueTarget): Promise<Delivery | undefined> {
    return this.#queue.read(() => optional(this.#statements.firstDelivery.get(org, of, position), deliveryOf));
  }

  nextDue(after: number): Promise<number | undefined> {
    return this.#queue.read(() => optionalNumber(this.#statements.nextDue.get(after) ?? {}, 'due_at'));
  }

  async rearmDeliveries(now: number): Promise<void> {
    const later = await this.#queue.read(() => this.#statements.dueLater.all(now));
    const overdue = later.filter((row) =>
      isOverdue({ dueAt: number(row, 'due_at'), attempts: number(row, 'attempts') }, now),
    );
    if (overdue.length === 0) return;
    await this.#queue.write(() => {
      for (const { org = null, number: of = null, position = null } of overdue) {
        this.#statements.setDue.run(now, org, of, position);
      }
    });
  }

  completeDelivery(delivery: Delivery, at: number): Promise<void> {
    return this.#queue.write(() => {
      const { org, number: of, position, sequence } = delivery;
      this.#statements.deleteDelivery.run(org, of, position, sequence);
      this.#statements.succeed.run(at, org, of, position);
      this.#statements.settle.run(at, org, of, position);
    });
  }

  postponeDelivery({ org, number: of, position }: Delivery, { reason, at, until }: DeliveryFailure): Promise<void> {
    return this.#queue.write(() => {
      this.#statements.fail.run(reason, at, org, of, position);
      this.#statements.settle.run(until, org, of, position);
    });
  }

  dropDelivery(delivery: Delivery, { reason, at, until }: DeliveryFailure): Promise<void> {
    return this.#queue.write(() => {
      const { org, number: of, position, sequence } = delivery;
      this.#statements.deleteDelivery.run(org, of, position, sequence);
      this.#statements.fail.run(reason, at, org, of, position);
      this.#statements.settle.run(until, org, of, position);
    });
  }

  onDeliveries(listener: () => void): void {
    this.#queue.onCommit(listener);
  }
}

function notificationOf(row: Row, targets: readonly Row[]): NotificationRecord {
  const successes = targets.map((target) => optionalNumber(target, 'last_success_at') ?? 0);
  const lastSuccessAt = Math.max(0, ...successes);
  return {
    org: text(row, 'org'),
    number: number(row, 'number'),
    name: text(row, 'name'),
    environments: JSON.parse(text(row, 'environments')) as readonly string[],
    triggers: JSON.parse(text(row, 'triggers')) as readonly Trigger[],
    targets: targets.map(targetOf),
    createdAt: number(row, 'created_at'),
    createdBy: text(row, 'created_by'),
    ...(lastSuccessAt === 0 ? {} : { lastSuccessAt }),
    failing: targets.some((target) => number(target, 'attempts') > 0),
  };
}

/** A target that this service wrote, and checked before it did. */
function targetOf(row: Row): NotificationTarget {
  return JSON.parse(text(row, 'target')) as NotificationTarget;
}

/** Secrets that this service wrote. */
function secretsOf(row: Row): readonly SigningSecret[] {
  return JSON.parse(text(row, 'signing_secrets')) as readonly SigningSecret[];
}

function targetStateOf(row: Row, waiting: number): TargetState {
  const lastErrorAt = optionalNumber(row, 'last_error_at');
  return {
    target: targetOf(row),
    secrets: secretsOf(row),
    waiting,
    attempts: number(row, 'attempts'),
    dueAt: optionalNumber(row, 'due_at'),
    lastSuccessAt: optionalNumber(row, 'last_success_at'),
    lastError: lastErrorAt === undefined ? undefined : { reason: text(row, 'last_error'), at: lastErrorAt },
  };
}

function dueTargetOf(row: Row): DueTarget {
  return {
    org: text(row, 'org'),
    number: number(row, 'number'),
    position: number(row, 'position'),
    failing: number(row, 'failing') === 1,
  };
}

function deliveryOf(row: Row): Delivery {
  return {
    org: text(row, 'org'),
    number: number(row, 'number'),
    position: number(row, 'position'),
    sequence: number(row, 'sequence'),
    target: targetOf(row),
    event: JSON.parse(text(row, 'event')) as EnvironmentEvent,
    attempts: number(row, 'attempts'),
    secrets: secretsOf(row),
  };
}

function optionalNumber(row: Row, column: string): number | undefined {
  return typeof row[column] === 'number' ? row[column] : undefined;
}
