import type { DatabaseSync } from 'node:sqlite';
import type {
  Delivery,
  DeliveryFailure,
  DueTarget,
  NewNotification,
  NotificationRecord,
  TargetState,
} from '../../domain/notifications.ts';
import type { SigningSecret } from '../../domain/webhook-secret.ts';
import type { Store } from '../store.ts';
import type {
  AttestationListFinding,
  AttestationListQuery,
  AttestationRange,
  RecordedAttestation,
} from '../attestation-list-store.ts';
import { SqliteAttestationList } from './attestation-list.ts';
import { SqliteNotifications } from './notifications.ts';
import type { WriteQueue } from './write-queue.ts';

/** What has not moved to the port of the storage yet (`SqliteStorage`). */
export class SqliteStore implements Store {
  readonly #attestationList: SqliteAttestationList;
  readonly #notifications: SqliteNotifications;

  constructor(database: DatabaseSync, queue: WriteQueue) {
    this.#attestationList = new SqliteAttestationList(database, queue);
    this.#notifications = new SqliteNotifications(database, queue);
  }

  listAttestations(query: AttestationListQuery): Promise<AttestationListFinding> {
    return this.#attestationList.listAttestations(query);
  }

  readAttestations(range: AttestationRange): Promise<readonly RecordedAttestation[]> {
    return this.#attestationList.readAttestations(range);
  }

  createNotification(
    notification: NewNotification,
    secrets?: ReadonlyMap<number, SigningSecret>,
  ): Promise<number | 'organization not found'> {
    return this.#notifications.createNotification(notification, secrets);
  }

  findTargets(org: string, number: number): Promise<readonly TargetState[] | undefined> {
    return this.#notifications.findTargets(org, number);
  }

  changeSecrets(
    target: Omit<DueTarget, 'failing'>,
    change: (secrets: readonly SigningSecret[]) => readonly SigningSecret[],
  ): Promise<readonly SigningSecret[] | 'not found'> {
    return this.#notifications.changeSecrets(target, change);
  }

  findNotification(org: string, wanted: number): Promise<NotificationRecord | undefined> {
    return this.#notifications.findNotification(org, wanted);
  }

  deleteNotification(org: string, unwanted: number, deletedAt: number): Promise<'deleted' | 'not found'> {
    return this.#notifications.deleteNotification(org, unwanted, deletedAt);
  }

  dueTargets(now: number, limit: number): Promise<readonly DueTarget[]> {
    return this.#notifications.dueTargets(now, limit);
  }

  firstDelivery(target: DueTarget): Promise<Delivery | undefined> {
    return this.#notifications.firstDelivery(target);
  }

  nextDue(after: number): Promise<number | undefined> {
    return this.#notifications.nextDue(after);
  }

  rearmDeliveries(now: number): Promise<void> {
    return this.#notifications.rearmDeliveries(now);
  }

  completeDelivery(delivery: Delivery, at: number): Promise<void> {
    return this.#notifications.completeDelivery(delivery, at);
  }

  postponeDelivery(delivery: Delivery, failure: DeliveryFailure): Promise<void> {
    return this.#notifications.postponeDelivery(delivery, failure);
  }

  dropDelivery(delivery: Delivery, failure: DeliveryFailure): Promise<void> {
    return this.#notifications.dropDelivery(delivery, failure);
  }

  onDeliveries(listener: () => void): void {
    this.#notifications.onDeliveries(listener);
  }
}
