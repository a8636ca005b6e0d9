import type { Trigger } from '../../contract/notification.ts';
import type { EnvironmentEvent } from '../environment/environment-event.ts';
import { defineStatements, either, isAnyOf, lookUp, Repository, toJsonList } from '../platform/database/database.ts';
import { column, flag, json, number, optionalNumber, text, toRecord } from '../platform/database/rows.ts';
import {
  type Delivery,
  type DeliveryFailure,
  type DueTarget,
  retryDelay,
  type TargetReference,
} from './notification.ts';

export interface Listener {
  readonly number: number;
  readonly triggers: readonly Trigger[];
  readonly positions: readonly number[];
}

/** Messages for targets of notifications, which are added to their queues later, in portions. */
export interface NewBroadcast {
  readonly messages: readonly EnvironmentEvent[];
  readonly targets: readonly (readonly [number: number, position: number])[];
}

export interface Broadcast extends NewBroadcast {
  readonly org: string;
  readonly sequence: number;
  /** How many of the targets have their messages. */
  readonly done: number;
}

/** How long a claim lasts that is not ended, in seconds: longer than a delivery may take. */
export const claimSeconds = 60;

export interface Claim {
  readonly now: number;
  /** Identifies the process among those that deliver. */
  readonly claimant: string;
}

export interface DueQuery extends Claim {
  /** Per organization, the maximum number of targets whose latest attempt failed, and of other targets. */
  readonly limit: number;
}

/** Whether no other process than the one in the parameter has claimed a target; only one process can use SQLite. */
const isFreeFor = (claimant: string): string =>
  `(claimed_until IS NULL OR claimed_until <= now() OR claimed_by = ${claimant})`;

/** How long a target waits after its failed attempts, in seconds. After the tenth, the wait stays the same. */
const longestWait = `CASE attempts WHEN 0 THEN 0
  ${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => `WHEN ${attempts} THEN ${retryDelay(attempts)}`).join(' ')}
  ELSE ${retryDelay(10)} END`;
/** Whether a target waits longer at the time $1 than it should, because the clock was set back. */
const isOverdue = `due_at > $1 AND due_at - ${longestWait} > $1`;

const isTarget = 'org = $1 AND number = $2 AND position = $3';

/** The elements `value` of a JSON list. */
const elements = (list: string): string => either(`json_each(${list})`, `json_array_elements(${list}::json)`);

/** Whether the target `t` is that of the element `w`. */
const isWanted = 't.number = (w.value ->> 0)::bigint AND t.position = (w.value ->> 1)::bigint';

/** Ends a claim. The target `t` is due then if a delivery waits for it. */
const endWithDue = (time: string): string => `${either('', 'claimed_until = NULL,')} due_at = CASE WHEN EXISTS (
    SELECT 1 FROM deliveries d WHERE d.org = t.org AND d.number = t.number AND d.position = t.position
  ) THEN ${time}::double precision END`;

const statements = defineStatements('deliveries', {
  listListeners: `SELECT s.number, ${toJsonList('s."trigger"')} AS triggers, (
      SELECT ${toJsonList('t.position')} FROM notification_targets t WHERE t.org = s.org AND t.number = s.number
    ) AS positions
    FROM notification_subjects s WHERE s.org = $1 AND s.environment = $2 GROUP BY s.org, s.number ORDER BY s.number`,
  findBroadcastOrg: `SELECT min(org) AS org FROM broadcasts WHERE org > $1 AND NOT ${isAnyOf('org', '$2')}`,
  findBroadcast: `SELECT org, sequence, messages, targets, done FROM broadcasts WHERE org = $1
    ORDER BY sequence LIMIT 1`,
  listDue: `SELECT org, number, position, failing FROM (
      SELECT org, number, position, due_at, (attempts > 0)::integer AS failing,
        row_number() OVER (PARTITION BY org, attempts > 0 ORDER BY due_at, number, position) AS place
      FROM notification_targets WHERE due_at <= $1 AND ${either('$3 IS NOT NULL', isFreeFor('$3'))}
    ) AS due WHERE place <= $2 ORDER BY due_at, org, number, position`,
  findNextDue: 'SELECT min(due_at) AS due_at FROM notification_targets WHERE due_at > $1',
  findFirst: `SELECT t.org, t.number, t.position, t.target, t.attempts, t.signing_secrets, d.sequence, d.event
    FROM deliveries d JOIN notification_targets t USING (org, number, position)
    WHERE d.org = $1 AND d.number = $2 AND d.position = $3 ORDER BY d.sequence LIMIT 1`,

  claim: either(
    `SELECT 1 FROM notification_targets WHERE ${isTarget} AND due_at <= $4 AND $6 IS NOT NULL`,
    `UPDATE notification_targets SET claimed_until = now() + make_interval(secs => $5), claimed_by = $6
      WHERE ${isTarget} AND due_at <= $4 AND ${isFreeFor('$6')} RETURNING 1`,
  ),
  release: either(
    'SELECT 1 WHERE $4 IS NULL',
    `UPDATE notification_targets SET claimed_until = NULL WHERE ${isTarget} AND claimed_by = $4`,
  ),
  insertBroadcast: `INSERT INTO broadcasts (org, sequence, messages, targets)
    VALUES ($1, (SELECT coalesce(max(sequence), 0) + 1 FROM broadcasts WHERE org = $1), $2, $3)`,
  setBroadcastDone: 'UPDATE broadcasts SET done = $3 WHERE org = $1 AND sequence = $2',
  deleteBroadcast: 'DELETE FROM broadcasts WHERE org = $1 AND sequence = $2',
  insert: `INSERT INTO deliveries (org, number, position, event${either(', sequence', '')})
    SELECT t.org, t.number, t.position, m.value${either(
      `, m.key + 1 + (SELECT coalesce(max(d.sequence), 0) FROM deliveries d
        WHERE d.org = t.org AND d.number = t.number AND d.position = t.position)`,
      '',
    )}
    FROM ${elements('$2')} w ${lookUp('notification_targets', 't', `t.org = $1 AND ${isWanted}`)}
      CROSS JOIN ${either('json_each($3) m', 'unnest($3::text[]) WITH ORDINALITY AS m (value, place)')}
    ORDER BY t.number, t.position, ${either('m.key', 'm.place')}`,
  setFirstDue: `UPDATE notification_targets AS t SET due_at = $3 FROM ${elements('$2')} w
    WHERE t.org = $1 AND ${isWanted} AND t.due_at IS NULL`,
  // A new target can have the position of one that was removed while a delivery to it was running.
  isWaiting: `SELECT 1 FROM deliveries WHERE ${isTarget} AND sequence = $4 AND event = $5`,
  delete: `DELETE FROM deliveries WHERE ${isTarget} AND sequence = $4`,
  rearm: `UPDATE notification_targets SET due_at = $1 WHERE ${isOverdue}`,
  recordSuccess: `UPDATE notification_targets AS t
    SET attempts = 0, last_success_at = $4, last_error = NULL, last_error_at = NULL, ${endWithDue('$4')}
    WHERE ${isTarget}`,
  recordFailure: `UPDATE notification_targets AS t
    SET attempts = attempts + 1, last_error = $4, last_error_at = $5, ${endWithDue('$6')} WHERE ${isTarget}`,
});

/** Reads the outbox: the deliveries that wait for targets of notifications. */
export class DeliveryReader extends Repository {
  /** The notifications that listen to the environment; most environments have none. */
  listListeners(org: string, environment: string): Promise<readonly Listener[]> {
    return this.queryAll(statements.listListeners, [org, environment], toListener);
  }

  /** The first organization by name, after `after` and none of `except`, that has broadcasts; undefined if none has. */
  async findBroadcastOrg(after: string, except: readonly string[]): Promise<string | undefined> {
    const [row = {}] = await this.query(statements.findBroadcastOrg, [after, except]);
    return row['org'] === null ? undefined : text(row, 'org');
  }

  /**
   * The targets with a delivery that is due, longest waiting first. Targets that another process has claimed are left
   * out.
   */
  listDue({ now, limit, claimant }: DueQuery): Promise<readonly DueTarget[]> {
    return this.queryAll(statements.listDue, [now, limit, claimant], toDueTarget);
  }

  /** When the next delivery after a time becomes due; undefined if there is none. */
  async findNextDue(after: number): Promise<number | undefined> {
    const [row = {}] = await this.query(statements.findNextDue, [after]);
    return optionalNumber(row, 'due_at');
  }

  /** The first waiting delivery of a target, in the order of events; undefined if there is none. */
  findFirst(target: TargetReference): Promise<Delivery | undefined> {
    return this.queryFirst(statements.findFirst, toKey(target), toDelivery);
  }
}

function toKey({ org, number: of, position }: TargetReference): readonly [string, number, number] {
  return [org, of, position];
}

export class DeliveryWriter extends DeliveryReader {
  /**
   * Claims a target for a process, so that no other one delivers to it at the same time. Returns its first delivery;
   * undefined if none is due, or another process has claimed it. The process itself can claim a target again: it may have
   * lost the answer to its claim. A claim ends when the result of the delivery is recorded, when it is released, or after
   * `claimSeconds`, because its process may have ended. A storage that only one process can use changes nothing. Allows
   * the scope `concurrent`.
   */
  async claim(target: TargetReference, { now, claimant }: Claim): Promise<Delivery | undefined> {
    const claimed = await this.query(statements.claim, [...toKey(target), now, claimSeconds, claimant]);
    return claimed.length === 0 ? undefined : this.findFirst(target);
  }

  /** Ends a process's claim of a delivery that has no result. Allows the scope `concurrent`. */
  release(target: TargetReference, claimant: string): Promise<void> {
    return this.run(statements.release, [...toKey(target), claimant]);
  }

  /** Adds broadcasts behind all others of the organization. */
  async insertBroadcasts(org: string, broadcasts: readonly NewBroadcast[]): Promise<void> {
    const inserted = broadcasts.map(({ messages, targets }) =>
      this.run(statements.insertBroadcast, [org, JSON.stringify(messages), JSON.stringify(targets)]),
    );
    await Promise.all(inserted);
  }

  /** The first broadcast of the organization; undefined if there is none. */
  findBroadcast(org: string): Promise<Broadcast | undefined> {
    return this.queryFirst(statements.findBroadcast, [org], toBroadcast);
  }

  /**
   * Appends the messages of a broadcast to the queues of its next targets. They are due at the time of their event. Targets
   * that were deleted are left out. The broadcast ends with its last target.
   */
  async distribute({ org, sequence, messages, targets, done }: Broadcast, limit: number): Promise<void> {
    const next = JSON.stringify(targets.slice(done, done + limit));
    const events = messages.map((message) => JSON.stringify(message));
    await Promise.all([
      this.run(statements.insert, [org, next, events]),
      this.run(statements.setFirstDue, [org, next, messages[0]?.timestamp ?? 0]),
      done + limit < targets.length
        ? this.run(statements.setBroadcastDone, [org, sequence, done + limit])
        : this.run(statements.deleteBroadcast, [org, sequence]),
    ]);
  }

  /** Whether a delivery still waits: its target may have been removed since it began. */
  async isWaiting(delivery: Delivery): Promise<boolean> {
    const values = [...toKey(delivery), delivery.sequence, delivery.eventText];
    return (await this.query(statements.isWaiting, values)).length > 0;
  }

  delete(delivery: Delivery): Promise<void> {
    return this.run(statements.delete, [...toKey(delivery), delivery.sequence]);
  }

  /**
   * Makes targets of all organizations due that wait longer than they should, because the clock was set back. Allows the
   * scope `concurrent`.
   */
  rearm(now: number): Promise<void> {
    return this.run(statements.rearm, [now]);
  }

  /** Records a successful delivery. The next delivery of the target, if any, is due now. */
  recordSuccess(target: TargetReference, at: number): Promise<void> {
    return this.run(statements.recordSuccess, [...toKey(target), at]);
  }

  /** Records a failed attempt. The next delivery of the target, if any, is due at the failure's `until`. */
  recordFailure(target: TargetReference, { reason, at, until }: DeliveryFailure): Promise<void> {
    return this.run(statements.recordFailure, [...toKey(target), reason, at, until]);
  }
}

const reference = { org: text, number, position: number };

const toDueTarget = toRecord<DueTarget>({ ...reference, failing: flag });

const toListener = toRecord<Listener>({ number, triggers: json, positions: json });

const toBroadcast = toRecord<Broadcast>({ org: text, sequence: number, messages: json, targets: json, done: number });

const toDelivery = toRecord<Delivery>({
  ...{ ...reference, sequence: number, target: json, event: json, attempts: number },
  ...{ eventText: column('event', text), secrets: column('signing_secrets', json) },
});
