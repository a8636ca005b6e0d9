import type { ReadTransaction, WriteTransaction } from '../storage.ts';
import { AccountReader, AccountWriter } from '../accounts.ts';
import { ArtifactReader, ArtifactWriter } from '../artifacts.ts';
import { AttestationSeriesReader } from '../attestation-series.ts';
import { AttestationReader, AttestationWriter } from '../attestations.ts';
import { AuditLogReader, AuditLogWriter } from '../audit-log.ts';
import { translateError } from './database.ts';
import { DeliveryReader, DeliveryWriter } from '../deliveries.ts';
import { EnvironmentReader, EnvironmentWriter } from '../environments.ts';
import { FlowReader, FlowWriter } from '../flows.ts';
import { LoginRuleReader, LoginRuleWriter } from '../login-rules.ts';
import { NotificationReader, NotificationWriter } from '../notifications.ts';
import { OrganizationReader, OrganizationWriter } from '../organizations.ts';
import { PolicyReader, PolicyWriter } from '../policies.ts';
import { RememberedAnswerWriter } from '../remembered-answers.ts';
import type { Session } from './session.ts';
import { SessionReader, SessionWriter } from '../sessions.ts';
import { SnapshotReader, SnapshotWriter } from '../snapshots.ts';
import { TrailReader, TrailWriter } from '../trails.ts';

/**
 * Creates the repositories of a read, each when it is first used: preparing the statements of all takes milliseconds. An
 * invalid statement still fails at start, because the repositories that write prepare the same ones.
 */
export function createReaders(session: Session): ReadTransaction {
  return createWhenUsed<ReadTransaction>({
    organizations: () => new OrganizationReader(session),
    flows: () => new FlowReader(session),
    accounts: () => new AccountReader(session),
    loginRules: () => new LoginRuleReader(session),
    auditLog: () => new AuditLogReader(session),
    environments: () => new EnvironmentReader(session),
    snapshots: () => new SnapshotReader(session),
    policies: () => new PolicyReader(session),
    trails: () => new TrailReader(session),
    artifacts: () => new ArtifactReader(session),
    attestations: () => new AttestationReader(session),
    attestationSeries: () => new AttestationSeriesReader(session),
    notifications: () => new NotificationReader(session),
    deliveries: () => new DeliveryReader(session),
    sessions: () => new SessionReader(session),
  });
}

/** Creates the repositories of a transaction that writes. */
export function createWriters(session: Session): WriteTransaction {
  return {
    organizations: new OrganizationWriter(session),
    flows: new FlowWriter(session),
    accounts: new AccountWriter(session),
    loginRules: new LoginRuleWriter(session),
    auditLog: new AuditLogWriter(session),
    environments: new EnvironmentWriter(session),
    snapshots: new SnapshotWriter(session),
    policies: new PolicyWriter(session),
    trails: new TrailWriter(session),
    artifacts: new ArtifactWriter(session),
    attestations: new AttestationWriter(session),
    attestationSeries: new AttestationSeriesReader(session),
    notifications: new NotificationWriter(session),
    deliveries: new DeliveryWriter(session),
    sessions: new SessionWriter(session),
    rememberedAnswers: new RememberedAnswerWriter(session),
  };
}

function createWhenUsed<Repositories extends object>(
  creators: Readonly<{ [Name in keyof Repositories]: () => Repositories[Name] }>,
): Repositories {
  const repositories = {};
  for (const [name, create] of Object.entries<() => unknown>(creators)) {
    const get = (): unknown => {
      const value = createOrTranslate(create);
      Object.defineProperty(repositories, name, { value });
      return value;
    };
    Object.defineProperty(repositories, name, { get, configurable: true });
  }
  return repositories as Repositories;
}

/** @throws StorageError if the database fails */
function createOrTranslate(create: () => unknown): unknown {
  try {
    return create();
  } catch (error) {
    throw translateError(error);
  }
}
