import type { DatabaseSync } from 'node:sqlite';
import type { SnapshotReading } from '../../../contract/snapshot-expression.ts';
import type {
  Delivery,
  DeliveryFailure,
  DueTarget,
  NewNotification,
  NotificationRecord,
  TargetState,
} from '../../domain/notifications.ts';
import type { SigningSecret } from '../../domain/webhook-secret.ts';
import type { Provenance } from '../../domain/environment/snapshot-events.ts';
import type { Environment, SnapshotSummary } from '../../domain/environment/snapshot.ts';
import type { PolicyRecord } from '../../domain/policy/policy-record.ts';
import type { Store } from '../store.ts';
import type {
  AttestationListFinding,
  AttestationListQuery,
  AttestationRange,
  RecordedAttestation,
} from '../attestation-list-store.ts';
import type {
  EnvironmentReport,
  EnvironmentSaving,
  EnvironmentToSave,
  PolicyChange,
  ReportOutcome,
  SnapshotFinding,
  SnapshotListQuery,
} from '../environment-store.ts';
import type { EvidenceChanges } from '../evidence-changes.ts';
import type { PolicyToSave } from '../policy-store.ts';
import { answer } from './answers.ts';
import { SqliteAttestationList } from './attestation-list.ts';
import { SqliteEnvironments } from './environment-store.ts';
import { JudgingQueue } from './judging-queue.ts';
import { SqliteNotifications } from './notifications.ts';
import { SqlitePolicies } from './policy-store.ts';
import { prepareStatements } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';

/** What has not moved to the port of the storage yet (`SqliteStorage`). */
export class SqliteStore implements Store {
  readonly #attestationList: SqliteAttestationList;
  readonly #environments: SqliteEnvironments;
  readonly #policies: SqlitePolicies;
  readonly #notifications: SqliteNotifications;

  /** Judging, for the use cases that have moved to `application/`. */
  readonly evidenceChanges: EvidenceChanges;

  constructor(database: DatabaseSync, queue: WriteQueue) {
    const judging = new JudgingQueue(queue);
    this.#attestationList = new SqliteAttestationList(database, queue);
    this.#policies = new SqlitePolicies(database, judging);
    this.#environments = new SqliteEnvironments(database, prepareStatements(database), judging, this.#policies);
    this.#notifications = new SqliteNotifications(database, queue);
    this.evidenceChanges = {
      announce: (subject, at, matches) =>
        answer(() => {
          this.#environments.evidenceChanged(subject, at, matches);
        }),
    };
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

  saveEnvironment(environment: EnvironmentToSave, savedAt: number): Promise<EnvironmentSaving> {
    return this.#environments.saveEnvironment(environment, savedAt);
  }

  findEnvironment(org: string, name: string): Promise<Environment | undefined> {
    return this.#environments.findEnvironment(org, name);
  }

  recordReport(report: EnvironmentReport, reportedAt: number): Promise<ReportOutcome> {
    return this.#environments.recordReport(report, reportedAt);
  }

  attachPolicies(change: PolicyChange, attachedAt: number): Promise<'attached' | 'not found' | 'too many'> {
    return this.#environments.attachPolicies(change, attachedAt);
  }

  detachPolicies(change: PolicyChange, detachedAt: number): Promise<'detached' | 'not found'> {
    return this.#environments.detachPolicies(change, detachedAt);
  }

  listSnapshots(query: SnapshotListQuery): Promise<readonly SnapshotSummary[] | undefined> {
    return this.#environments.listSnapshots(query);
  }

  findSnapshot(org: string, readings: readonly SnapshotReading[], now: number): Promise<SnapshotFinding> {
    return this.#environments.findSnapshot(org, readings, now);
  }

  findProvenance(org: string, fingerprints: readonly string[]): Promise<ReadonlyMap<string, Provenance>> {
    return this.#environments.findProvenance(org, fingerprints);
  }

  savePolicy(policy: PolicyToSave, savedAt: number): ReturnType<Store['savePolicy']> {
    return this.#policies.savePolicy(policy, savedAt, (org, environments, now, matches) => {
      this.#environments.policyChanged(org, environments, now, matches);
    });
  }

  findPolicy(org: string, name: string): Promise<PolicyRecord | undefined> {
    return this.#policies.findPolicy(org, name);
  }

  /** Makes no further snapshots by itself. */
  stop(): void {
    this.#environments.close();
  }
}
