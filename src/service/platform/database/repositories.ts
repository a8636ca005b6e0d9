import { AccountReader, AccountWriter } from '../../account/account-records.ts';
import { ArtifactReader, ArtifactWriter } from '../../artifact/artifact-records.ts';
import { AttestationSeriesReader } from '../../attestation/attestation-series-records.ts';
import { AttestationReader, AttestationWriter } from '../../attestation/attestation-records.ts';
import { AuditLogReader, AuditLogWriter } from '../../audit/audit-log-records.ts';
import type { Database } from './database.ts';
import { DeliveryReader, DeliveryWriter } from '../../notification/delivery-records.ts';
import { EnvironmentReader, EnvironmentWriter } from '../../environment/environment-records.ts';
import { FlowReader, FlowWriter } from '../../flow/flow-records.ts';
import { LoginRuleReader, LoginRuleWriter } from '../../login/login-rule-records.ts';
import { NotificationReader, NotificationWriter } from '../../notification/notification-records.ts';
import { OrganizationReader, OrganizationWriter } from '../../organization/organization-records.ts';
import { PolicyReader, PolicyWriter } from '../../policy/policy-records.ts';
import { RememberedAnswerWriter } from '../idempotency/remembered-answer-records.ts';
import { SessionReader, SessionWriter } from '../../session/session-records.ts';
import { SnapshotReader, SnapshotWriter } from '../../snapshot/snapshot-records.ts';
import type { ReadTransaction, WriteTransaction } from './storage.ts';
import { TrailReader, TrailWriter } from '../../trail/trail-records.ts';

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
