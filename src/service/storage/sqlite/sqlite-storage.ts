import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../files/data-folder.ts';
import { RecordCaches } from '../record-caches.ts';
import type { ReadTransaction, Storage, TransactionScope, WriteTransaction } from '../storage.ts';
import { SqliteAccountReader, SqliteAccountWriter } from './accounts.ts';
import { SqliteArtifactReader, SqliteArtifactWriter } from './artifacts.ts';
import { SqliteAttestationSeriesReader } from './attestation-series.ts';
import { SqliteAttestationReader, SqliteAttestationWriter } from './attestations.ts';
import { SqliteAuditLogReader, SqliteAuditLogWriter } from './audit-log.ts';
import { CommitTracker } from './commit-tracker.ts';
import { openDatabase, openReadOnly } from './database.ts';
import { SqliteDeliveryReader, SqliteDeliveryWriter } from './deliveries.ts';
import { SqliteEnvironmentReader, SqliteEnvironmentWriter } from './environments.ts';
import { createFileCheck } from './file-presence.ts';
import { SqliteFlowReader, SqliteFlowWriter } from './flows.ts';
import { SqliteLoginRuleReader, SqliteLoginRuleWriter } from './login-rules.ts';
import { schemaVersion } from './migrations.ts';
import { SqliteNotificationReader, SqliteNotificationWriter } from './notifications.ts';
import { SqliteOrganizationReader, SqliteOrganizationWriter } from './organizations.ts';
import { SqlitePolicyReader, SqlitePolicyWriter } from './policies.ts';
import { ReadPool, type Reader } from './read-pool.ts';
import { SqliteRememberedAnswerWriter } from './remembered-answers.ts';
import { ReadSession, WriteSession } from './session.ts';
import { SqliteSessionReader, SqliteSessionWriter } from './sessions.ts';
import { SqliteSnapshotReader, SqliteSnapshotWriter } from './snapshots.ts';
import { SqliteTrailReader, SqliteTrailWriter } from './trails.ts';
import { WriteQueue } from './write-queue.ts';
import { WrittenSources } from './written-sources.ts';

/**
 * The storage of one machine: an SQLite database in the data folder, used by one process. One connection writes, the
 * others read the committed state.
 */
export class SqliteStorage implements Storage {
  readonly #database: DatabaseSync;
  readonly #queue: WriteQueue;
  readonly #session: WriteSession;
  readonly #transaction: WriteTransaction;
  readonly #reads: ReadPool;

  /** @throws StartError if the database cannot be opened. */
  constructor(folder: string) {
    this.#database = openDatabase(folder);
    const written = new WrittenSources(this.#database);
    const commits = new CommitTracker(written);
    const path = join(folder, databaseFile);
    this.#queue = new WriteQueue(this.#database, {
      requireFiles: createFileCheck([path, `${path}-wal`]),
      afterCommit: () => {
        commits.recordCommit();
      },
    });
    const caches = new RecordCaches();
    this.#session = new WriteSession(this.#database, commits);
    this.#transaction = {
      organizations: new SqliteOrganizationWriter(this.#session),
      flows: new SqliteFlowWriter(this.#session, caches),
      accounts: new SqliteAccountWriter(this.#session, caches),
      loginRules: new SqliteLoginRuleWriter(this.#session),
      auditLog: new SqliteAuditLogWriter(this.#session),
      environments: new SqliteEnvironmentWriter(this.#session, caches),
      snapshots: new SqliteSnapshotWriter(this.#session),
      policies: new SqlitePolicyWriter(this.#session),
      trails: new SqliteTrailWriter(this.#session),
      artifacts: new SqliteArtifactWriter(this.#session),
      attestations: new SqliteAttestationWriter(this.#session),
      attestationSeries: new SqliteAttestationSeriesReader(this.#session),
      notifications: new SqliteNotificationWriter(this.#session),
      deliveries: new SqliteDeliveryWriter(this.#session),
      sessions: new SqliteSessionWriter(this.#session),
      rememberedAnswers: new SqliteRememberedAnswerWriter(this.#session),
    };
    this.#reads = new ReadPool(() => openReader(folder, commits, caches));
  }

  read<Result>(work: (transaction: ReadTransaction) => Promise<Result>): Promise<Result> {
    return this.#reads.run(work);
  }

  /** All transactions run one after the other, whatever their scope. */
  transaction<Result>(
    _scope: TransactionScope,
    work: (transaction: WriteTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#queue.write(() => this.#session.run(() => work(this.#transaction)));
  }

  onCommit(listener: () => void): void {
    this.#queue.onCommit(listener);
  }

  probe(): Promise<void> {
    // Writes a page with an unchanged value.
    return this.#queue.write(() => {
      this.#database.exec(`PRAGMA user_version = ${schemaVersion}`);
    });
  }

  async close(): Promise<void> {
    await this.#queue.drain();
    this.#reads.close();
    this.#database.close();
  }
}

function openReader(folder: string, commits: CommitTracker, caches: RecordCaches): Reader {
  const session = new ReadSession(openReadOnly(folder), commits);
  const transaction = {
    organizations: new SqliteOrganizationReader(session),
    flows: new SqliteFlowReader(session, caches),
    accounts: new SqliteAccountReader(session, caches),
    loginRules: new SqliteLoginRuleReader(session),
    auditLog: new SqliteAuditLogReader(session),
    environments: new SqliteEnvironmentReader(session, caches),
    snapshots: new SqliteSnapshotReader(session),
    policies: new SqlitePolicyReader(session),
    trails: new SqliteTrailReader(session),
    artifacts: new SqliteArtifactReader(session),
    attestations: new SqliteAttestationReader(session),
    attestationSeries: new SqliteAttestationSeriesReader(session),
    notifications: new SqliteNotificationReader(session),
    deliveries: new SqliteDeliveryReader(session),
    sessions: new SqliteSessionReader(session),
  };
  return { session, transaction };
}
