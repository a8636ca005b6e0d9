import type { AccountReader, AccountWriter } from './accounts.ts';
import type { ArtifactReader, ArtifactWriter } from './artifacts.ts';
import type { AttestationSeriesReader } from './attestation-series.ts';
import type { AttestationReader, AttestationWriter } from './attestations.ts';
import type { DeliveryReader, DeliveryWriter } from './deliveries.ts';
import type { EnvironmentReader, EnvironmentWriter } from './environments.ts';
import type { FlowReader, FlowWriter } from './flows.ts';
import type { NotificationReader, NotificationWriter } from './notifications.ts';
import type { OrganizationReader, OrganizationWriter } from './organizations.ts';
import type { PolicyReader, PolicyWriter } from './policies.ts';
import type { SnapshotReader, SnapshotWriter } from './snapshots.ts';
import type { TrailReader, TrailWriter } from './trails.ts';
import type { AttachmentStore } from './attachments.ts';
import type { Now } from '../../runtime/clock.ts';
import type { RandomBytes } from '../../runtime/random.ts';
import type { ServiceLog } from '../../runtime/log.ts';

/** What can be read, of one moment. */
export interface ReadTransaction {
  readonly organizations: OrganizationReader;
  readonly flows: FlowReader;
  readonly accounts: AccountReader;
  readonly environments: EnvironmentReader;
  readonly snapshots: SnapshotReader;
  readonly policies: PolicyReader;
  readonly trails: TrailReader;
  readonly artifacts: ArtifactReader;
  readonly attestations: AttestationReader;
  readonly attestationSeries: AttestationSeriesReader;
  readonly notifications: NotificationReader;
  readonly deliveries: DeliveryReader;
}

/** What can be read and written, all of it or nothing. Reads see what the transaction has written. */
export interface WriteTransaction extends ReadTransaction {
  readonly organizations: OrganizationWriter;
  readonly flows: FlowWriter;
  readonly accounts: AccountWriter;
  readonly environments: EnvironmentWriter;
  readonly snapshots: SnapshotWriter;
  readonly policies: PolicyWriter;
  readonly trails: TrailWriter;
  readonly artifacts: ArtifactWriter;
  readonly attestations: AttestationWriter;
  readonly notifications: NotificationWriter;
  readonly deliveries: DeliveryWriter;
}

/**
 * Where the service keeps its records: the port that every database has an adapter for. The repositories find, list and
 * write records and know no rules; the rules are in `application/` and `domain/`. Records come back as they were given;
 * nothing that belongs to one organization is ever answered for another.
 *
 * Work uses its transaction only while it runs, and waits for nothing else: other work waits for it. It may be run again
 * after a conflict, so it has no effects but on the transaction.
 *
 * @throws StorageError if the disk, the network or another process keeps the storage from working.
 */
export interface Storage {
  /** Reads one consistent state of what was committed. */
  read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result>;
  /** Resolves when the changes would survive a loss of power. Nothing is changed if the work rejects. */
  transaction<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result>;
  /** Calls the listener after every commit of this process. */
  onCommit(listener: () => void): void;
  /**
   * Writes as every transaction does, and changes nothing.
   *
   * @throws StorageError if transactions fail now.
   */
  probe(): Promise<void>;
  /** Ends after all work that was asked for before. */
  close(): Promise<void>;
}

/** What a service keeps its data in. */
export interface OpenedStorage {
  readonly storage: Storage;
  readonly attachments: AttachmentStore;
}

/** What opening needs of the outside. */
export interface StorageSources {
  readonly now: Now;
  readonly randomBytes: RandomBytes;
  readonly log: ServiceLog;
}
