import { AccountReader, AccountWriter } from './accounts.ts';
import { ArtifactReader, ArtifactWriter } from './artifacts.ts';
import { AttestationSeriesReader } from './attestation-series.ts';
import { AttestationReader, AttestationWriter } from './attestations.ts';
import { AuditLogReader, AuditLogWriter } from './audit-log.ts';
import type { Database } from './database.ts';
import { DeliveryReader, DeliveryWriter } from './deliveries.ts';
import { EnvironmentReader, EnvironmentWriter } from './environments.ts';
import { FlowReader, FlowWriter } from './flows.ts';
import { LoginRuleReader, LoginRuleWriter } from './login-rules.ts';
import { NotificationReader, NotificationWriter } from './notifications.ts';
import { OrganizationReader, OrganizationWriter } from './organizations.ts';
import { PolicyReader, PolicyWriter } from './policies.ts';
import { RememberedAnswerWriter } from './remembered-answers.ts';
import { SessionReader, SessionWriter } from './sessions.ts';
import { SnapshotReader, SnapshotWriter } from './snapshots.ts';
import type { ReadTransaction, WriteTransaction } from './storage.ts';
import { TrailReader, TrailWriter } from './trails.ts';

/** Creates the repositories of a read. */
export function createReaders(database: Database): ReadTransaction {
  return {
    organizations: new OrganizationReader(database),
    flows: new FlowReader(database),
    accounts: new AccountReader(database),
    loginRules: new LoginRuleReader(database),
    auditLog: new AuditLogReader(database),
    environments: new EnvironmentReader(database),
    snapshots: new SnapshotReader(database),
    policies: new PolicyReader(database),
    trails: new TrailReader(database),
    artifacts: new ArtifactReader(database),
    attestations: new AttestationReader(database),
    attestationSeries: new AttestationSeriesReader(database),
    notifications: new NotificationReader(database),
    deliveries: new DeliveryReader(database),
    sessions: new SessionReader(database),
  };
}

/** Creates the repositories of a transaction that writes. */
export function createWriters(database: Database): WriteTransaction {
  return {
    organizations: new OrganizationWriter(database),
    flows: new FlowWriter(database),
    accounts: new AccountWriter(database),
    loginRules: new LoginRuleWriter(database),
    auditLog: new AuditLogWriter(database),
    environments: new EnvironmentWriter(database),
    snapshots: new SnapshotWriter(database),
    policies: new PolicyWriter(database),
    trails: new TrailWriter(database),
    artifacts: new ArtifactWriter(database),
    attestations: new AttestationWriter(database),
    attestationSeries: new AttestationSeriesReader(database),
    notifications: new NotificationWriter(database),
    deliveries: new DeliveryWriter(database),
    sessions: new SessionWriter(database),
    rememberedAnswers: new RememberedAnswerWriter(database),
  };
}
