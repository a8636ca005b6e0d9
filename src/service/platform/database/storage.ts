import type { After, Now } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import { AccountReader, AccountWriter } from '../../account/account-records.ts';
import { ArtifactReader, ArtifactWriter } from '../../artifact/artifact-records.ts';
import { AttestationReader, AttestationWriter } from '../../attestation/attestation-records.ts';
import { AttestationSeriesReader } from '../../attestation/attestation-series-records.ts';
import { RemovedAttachmentReader, RemovedAttachmentWriter } from '../../attestation/removed-attachment-records.ts';
import { AuditLogReader, AuditLogWriter } from '../../audit/audit-log-records.ts';
import { PackageReader } from '../../audit-package/audit-package-records.ts';
import { CustomTypeReader, CustomTypeWriter } from '../../custom-type/custom-type-records.ts';
import { AllowListReader, AllowListWriter } from '../../environment/allow-list-records.ts';
import { EnvironmentReader, EnvironmentWriter } from '../../environment/environment-records.ts';
import { FlowReader, FlowWriter } from '../../flow/flow-records.ts';
import { AnswerReader, AnswerWriter } from '../../github/answer-records.ts';
import { GateReader, GateWriter } from '../../github/gate-records.ts';
import { LogReader, LogWriter } from '../../log/log-records.ts';
import { LoginRuleReader, LoginRuleWriter } from '../../login/login-rule-records.ts';
import { NamingReader, NamingWriter } from '../../naming/naming-records.ts';
import { RenameReader, RenameWriter } from '../../naming/rename-records.ts';
import { DeliveryReader, DeliveryWriter } from '../../notification/delivery-records.ts';
import { NotificationReader, NotificationWriter } from '../../notification/notification-records.ts';
import { OrganizationReader, OrganizationWriter } from '../../organization/organization-records.ts';
import { UsageReader } from '../../organization/usage-records.ts';
import { PolicyReader, PolicyWriter } from '../../policy/policy-records.ts';
import { SessionReader, SessionWriter } from '../../session/session-records.ts';
import { SnapshotReader, SnapshotWriter } from '../../snapshot/snapshot-records.ts';
import { SearchReader, SearchWriter } from '../../trail/search-records.ts';
import { TrailReader, TrailWriter } from '../../trail/trail-records.ts';
import type { AttachmentStore } from '../attachments/attachments.ts';
import { RememberedAnswerWriter } from '../idempotency/remembered-answer-records.ts';
import type { Database, Repository } from './database.ts';
import { type EntrySources, LoggedDatabase } from './logged-database.ts';

const readers = {
  organizations: OrganizationReader,
  flows: FlowReader,
  naming: NamingReader,
  renames: RenameReader,
  accounts: AccountReader,
  loginRules: LoginRuleReader,
  auditLog: AuditLogReader,
  auditPackages: PackageReader,
  environments: EnvironmentReader,
  allowList: AllowListReader,
  snapshots: SnapshotReader,
  policies: PolicyReader,
  search: SearchReader,
  trails: TrailReader,
  artifacts: ArtifactReader,
  attestations: AttestationReader,
  attestationSeries: AttestationSeriesReader,
  removedAttachments: RemovedAttachmentReader,
  customTypes: CustomTypeReader,
  notifications: NotificationReader,
  deliveries: DeliveryReader,
  githubGates: GateReader,
  githubAnswers: AnswerReader,
  log: LogReader,
  sessions: SessionReader,
  usage: UsageReader,
};

const writers = {
  ...readers,
  organizations: OrganizationWriter,
  flows: FlowWriter,
  naming: NamingWriter,
  renames: RenameWriter,
  accounts: AccountWriter,
  loginRules: LoginRuleWriter,
  auditLog: AuditLogWriter,
  environments: EnvironmentWriter,
  allowList: AllowListWriter,
  snapshots: SnapshotWriter,
  policies: PolicyWriter,
  search: SearchWriter,
  trails: TrailWriter,
  artifacts: ArtifactWriter,
  attestations: AttestationWriter,
  removedAttachments: RemovedAttachmentWriter,
  customTypes: CustomTypeWriter,
  notifications: NotificationWriter,
  deliveries: DeliveryWriter,
  githubGates: GateWriter,
  githubAnswers: AnswerWriter,
  log: LogWriter,
  sessions: SessionWriter,
  rememberedAnswers: RememberedAnswerWriter,
};

type Repositories<Classes extends Readonly<Record<string, new (database: Database) => Repository>>> = {
  readonly [Name in keyof Classes]: InstanceType<Classes[Name]>;
};

/** The repositories for reading. All of them read the same state of the data. */
export type ReadTransaction = Repositories<typeof readers>;

/**
 * The repositories for reading and writing. All changes are committed together or not at all. Reads see the
 * transaction's own writes.
 */
export type WriteTransaction = Repositories<typeof writers>;

export const createReaders = (database: Database): ReadTransaction => create(readers, database);

/** Runs the work of a transaction that writes, and appends the records that it has written to the log. */
export async function runWriting<Result>(
  database: Database,
  sources: EntrySources,
  work: (transaction: WriteTransaction) => Promise<Result>,
): Promise<Result> {
  const logged = new LoggedDatabase(database, sources);
  const result = await work(create(writers, logged));
  await logged.appendEntries();
  return result;
}

function create<Classes extends Readonly<Record<string, new (database: Database) => Repository>>>(
  classes: Classes,
  database: Database,
): Repositories<Classes> {
  const created = Object.entries(classes).map(([name, Records]) => [name, new Records(database)] as const);
  return Object.fromEntries(created) as Repositories<Classes>;
}

/** The scope of a transaction that is about records of several organizations. */
export const allOrganizations: unique symbol = Symbol('all organizations');

/** The scope of a transaction that uses only methods that allow it, which say so. */
export const concurrent: unique symbol = Symbol('concurrent');

/**
 * What a transaction is about. Transactions of one organization (given by name) run one after the other, also in
 * several processes, so a decision cannot be outdated when it is saved. Those of all organizations run alone.
 * Concurrent ones wait for no others.
 */
export type TransactionScope = string | typeof allOrganizations | typeof concurrent;

export interface TransactionOptions {
  /** Whether it only draws conclusions from what is recorded (default false). */
  readonly mayExceedQuotas?: boolean;
  /** The length of the largest text that is written, if it can be large: a storage may have to begin again. */
  readonly largestText?: number;
}

/**
 * The storage of the service's records: the port that each database has an adapter for. Repositories find, list and
 * write records and contain no business rules; those are in the use cases and rules. Records are returned as they
 * were written. Records of one organization are never returned for another.
 *
 * `work` must use its transaction only until it resolves, and must not wait for anything else, because other work waits
 * for it. It may be run again after a conflict, so it must have no side effects.
 *
 * @throws StorageError from every method, if the disk, the network or another process prevents it.
 */
export interface Storage {
  /** Reads one consistent state of the committed data. */
  read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result>;
  /** Resolves when the changes would survive a power failure. Nothing is changed if `work` rejects. */
  transaction<Result>(
    scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Calls the listener after every commit of this process. */
  onCommit(listener: () => void): void;
  /**
   * Checks that transactions can be committed, by a write that changes no record.
   *
   * @param bytes also checks that there is room for this many bytes, if the storage knows no `freeBytes`
   * @throws StorageError if transactions currently fail.
   */
  probe(bytes?: number): Promise<void>;
  /** Closes the storage after all work that was started before. */
  close(): Promise<void>;
}

export interface OpenedStorage {
  readonly storage: Storage;
  readonly attachments: AttachmentStore;
  /** The free space in bytes on the disk of this machine that holds the records, if there is one. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
  /** What was missing at the start, for the operator. */
  readonly startRemarks?: readonly string[] | undefined;
}

export interface StorageDependencies {
  readonly now: Now;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: Now;
  readonly after: After;
  readonly randomBytes: RandomBytes;
  readonly log: ServiceLog;
}
