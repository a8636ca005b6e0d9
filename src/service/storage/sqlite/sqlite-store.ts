import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { SnapshotReading } from '../../../contract/snapshot-expression.ts';
import type { Role } from '../../../contract/role.ts';
import type { OwnerKind } from '../../domain/access.ts';
import type { Member, ServiceAccountRecord, StoredKey } from '../../domain/accounts.ts';
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
import type { KnownMatches } from '../../domain/policy/work.ts';
import type { Attestation, Flow, ReportedArtifact, TrailDossier } from '../../domain/records.ts';
import { evidenceName, scopesOfAttestation } from '../../domain/binding.ts';
import { databaseFile } from '../files/data-folder.ts';
import type { ArtifactFinding, ArtifactQuery, AttestationRecording, FlowToSave, Store } from '../store.ts';
import type { AttestationListFinding, AttestationListQuery } from '../attestation-list-store.ts';
import type {
  EnvironmentReport,
  EnvironmentSaving,
  EnvironmentToSave,
  PolicyChange,
  ReportOutcome,
  SnapshotFinding,
  SnapshotListQuery,
} from '../environment-store.ts';
import type { PolicyToSave } from '../policy-store.ts';
import { SqliteAccounts } from './accounts.ts';
import { answer, optional } from './answers.ts';
import { ArtifactCache } from './artifact-cache.ts';
import { SqliteAttestationList } from './attestation-list.ts';
import { openDatabase } from './database.ts';
import { SqliteEnvironments } from './environments.ts';
import { watchFiles } from './file-presence.ts';
import { JudgingQueue } from './judging-queue.ts';
import { schemaVersion } from './migrations.ts';
import { SqliteNotifications } from './notifications.ts';
import { SqlitePolicies } from './policies.ts';
import { artifactOf, attestationOf, flowOf, number, summaryOf, trailOf } from './rows.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { WriteQueue } from './write-queue.ts';
import { WrittenSources } from './written-sources.ts';

/** The store of one machine: an SQLite database in the data folder, used by one process. */
export class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #queue: WriteQueue;
  readonly #judging: JudgingQueue;
  readonly #accounts: SqliteAccounts;
  readonly #artifacts: ArtifactCache;
  readonly #attestationList: SqliteAttestationList;
  readonly #environments: SqliteEnvironments;
  readonly #policies: SqlitePolicies;
  readonly #notifications: SqliteNotifications;

  constructor(folder: string) {
    this.#database = openDatabase(folder);
    this.#statements = prepareStatements(this.#database);
    const path = join(folder, databaseFile);
    this.#queue = new WriteQueue(this.#database, { demandFiles: watchFiles([path, `${path}-wal`]) });
    this.#judging = new JudgingQueue(this.#queue);
    const written = new WrittenSources(this.#database);
    this.#accounts = new SqliteAccounts(this.#database, this.#queue, written);
    this.#artifacts = new ArtifactCache(this.#statements, written);
    this.#attestationList = new SqliteAttestationList(this.#database);
    this.#policies = new SqlitePolicies(this.#database, this.#judging);
    this.#environments = new SqliteEnvironments(this.#database, this.#statements, this.#judging, this.#policies);
    this.#notifications = new SqliteNotifications(this.#database, this.#queue);
  }

  createOrganization(name: string, createdAt: number): Promise<'created' | 'exists'> {
    return this.#queue.write(() => {
      const { changes } = this.#statements.createOrganization.run(name, createdAt);
      return changes === 0 ? 'exists' : 'created';
    });
  }

  hasOrganization(name: string): Promise<boolean> {
    return answer(() => this.#statements.hasOrganization.get(name) !== undefined);
  }

  saveMember(member: Member): Promise<'created' | 'updated' | 'organization not found'> {
    return this.#accounts.saveMember(member);
  }

  findMember(org: string, user: string): Promise<Member | undefined> {
    return this.#accounts.findMember(org, user);
  }

  listOrganizations(user: string): Promise<readonly string[]> {
    return this.#accounts.listOrganizations(user);
  }

  removeMember(org: string, user: string, removedAt: number): Promise<'removed' | 'not found'> {
    return this.#accounts.removeMember(org, user, removedAt);
  }

  setDefaultOrganization(org: string, user: string): Promise<'set' | 'not a member'> {
    return this.#accounts.setDefaultOrganization(org, user);
  }

  defaultOrganization(user: string): Promise<string | undefined> {
    return this.#accounts.defaultOrganization(user);
  }

  createServiceAccount(account: ServiceAccountRecord): Promise<'created' | 'exists' | 'organization not found'> {
    return this.#accounts.createServiceAccount(account);
  }

  findServiceAccount(org: string, name: string): Promise<ServiceAccountRecord | undefined> {
    return this.#accounts.findServiceAccount(org, name);
  }

  listServiceAccounts(org: string): Promise<readonly ServiceAccountRecord[]> {
    return this.#accounts.listServiceAccounts(org);
  }

  deleteServiceAccount(org: string, name: string, deletedAt: number): Promise<'deleted' | 'not found'> {
    return this.#accounts.deleteServiceAccount(org, name, deletedAt);
  }

  addKey(key: StoredKey): Promise<'added' | 'exists' | 'owner not found'> {
    return this.#accounts.addKey(key);
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return this.#accounts.findKey(id);
  }

  hasKeys(org: string): Promise<boolean> {
    return this.#accounts.hasKeys(org);
  }

  revokeKey(org: string, id: string, revokedAt: number): Promise<'revoked' | 'not found'> {
    return this.#accounts.revokeKey(org, id, revokedAt);
  }

  findRole(org: string, kind: OwnerKind, owner: string): Promise<Role | undefined> {
    return this.#accounts.findRole(org, kind, owner);
  }

  listAttestations(query: AttestationListQuery): Promise<AttestationListFinding> {
    return this.#attestationList.listAttestations(query);
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

  saveFlow(flow: FlowToSave, savedAt: number): Promise<'created' | 'updated'> {
    return this.#judging.write((matches) => {
      const { org, name, description, visibility = null, repoUrl = null } = flow;
      const known = this.#hasFlow(org, name);
      const template = JSON.stringify(flow.template);
      this.#statements.saveFlow.run(org, name, description, visibility, template, repoUrl, savedAt, savedAt);
      if (known) this.#environments.evidenceChanged({ org, flow: name }, savedAt, matches);
      return known ? 'updated' : 'created';
    });
  }

  findFlow(org: string, name: string): Promise<Flow | undefined> {
    return answer(() => optional(this.#statements.findFlow.get(org, name), flowOf));
  }

  recordAttestation(attestation: Attestation): Promise<AttestationRecording> {
    // Written out before the turn that commits, which everyone waits for.
    const document = JSON.stringify(attestation.document);
    return this.#judging.write((matches) => this.#recordAttestation(attestation, document, matches));
  }

  #recordAttestation(attestation: Attestation, document: string, matches: KnownMatches): AttestationRecording {
    const { org, flow, trail, id, name, type, verdict, reason, createdAt, reportedBy, attachment } = attestation;
    if (!this.#hasFlow(org, flow)) return 'flow not found';
    const { artifact_fingerprint, target_artifacts, git_commit_info } = attestation.document;
    const scopes = scopesOfAttestation({
      trail,
      attestation_name: name,
      artifact_fingerprint,
      target_artifacts,
      git_commit: git_commit_info?.sha1,
    });
    const statements = this.#statements;
    const evidence = evidenceName(name);
    const isFull = (scope: string): boolean =>
      statements.hasEvidence.get(org, flow, scope, evidence) === undefined &&
      statements.hasMuchEvidence.get(org, flow, scope) !== undefined;
    if (scopes.some(isFull)) return 'too many names';
    statements.makeTrail.run(org, flow, trail, createdAt);
    const before = statements.latestAttestation.get(org, flow);
    const sequence = before === undefined ? 1 : number(before, 'sequence') + 1;
    const isStepBack = before !== undefined && createdAt < number(before, 'created_at');
    const { filename = null, digest = null, size = null } = attachment ?? {};
    statements.recordAttestation.run(
      ...[org, flow, sequence, trail, id, name, type, verdict, reason, createdAt, reportedBy],
      ...[filename, digest, size, document, Number(isStepBack)],
    );
    for (const scope of scopes) {
      statements.bind.run(org, flow, scope, sequence);
      statements.makeCurrent.run(org, flow, scope, evidence, sequence);
    }
    const subject = artifact_fingerprint === undefined ? { flow, trail } : { fingerprint: artifact_fingerprint };
    this.#environments.evidenceChanged({ org, ...subject }, createdAt, matches);
    return 'recorded';
  }

  recordArtifact(artifact: ReportedArtifact): Promise<'recorded' | 'flow not found'> {
    const report = JSON.stringify(artifact.report);
    return this.#judging.write((matches) => {
      const { org, flow, id, createdAt, reportedBy } = artifact;
      if (!this.#hasFlow(org, flow)) return 'flow not found';
      const { trail_name: trail, fingerprint } = artifact.report;
      this.#statements.makeTrail.run(org, flow, trail, createdAt);
      const sequence = number(this.#statements.nextArtifact.get(org, flow) ?? {}, 'next');
      this.#statements.recordArtifact.run(org, flow, sequence, trail, id, fingerprint, createdAt, reportedBy, report);
      this.#environments.evidenceChanged({ org, fingerprint }, createdAt, matches);
      return 'recorded';
    });
  }

  hasArtifact(org: string, flow: string, trail: string, fingerprint: string): Promise<boolean> {
    return answer(() => this.#statements.latestArtifactOfTrail.get(org, flow, trail, fingerprint) !== undefined);
  }

  findArtifact(query: ArtifactQuery): Promise<ArtifactFinding> {
    return answer(() => this.#artifacts.find(query));
  }

  findTrail(org: string, flow: string, trail: string): Promise<TrailDossier | undefined> {
    return answer(() =>
      optional(this.#statements.findTrail.get(org, flow, trail), (row) => ({
        trail: trailOf(row),
        artifacts: this.#statements.artifactsOfTrail.all(org, flow, trail).map(artifactOf),
        attestations: this.#statements.attestationsOfTrail.all(org, flow, trail).map(summaryOf),
      })),
    );
  }

  findAttestation(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined> {
    return answer(() => optional(this.#statements.findAttestation.get(org, id, flow, trail), attestationOf));
  }

  isAttached(digest: string): Promise<boolean> {
    return answer(() => this.#statements.isAttached.get(digest) !== undefined);
  }

  countAttached(): Promise<number> {
    return answer(() => number(this.#statements.countAttached.get() ?? {}, 'count'));
  }

  probe(): Promise<void> {
    // Writes a page without changing what it says.
    return this.#queue.write(() => {
      this.#database.exec(`PRAGMA user_version = ${schemaVersion}`);
    });
  }

  close(): Promise<void> {
    return answer(() => {
      this.#environments.close();
      this.#queue.flush();
      this.#database.close();
    });
  }

  #hasFlow(org: string, flow: string): boolean {
    return this.#statements.hasFlow.get(org, flow) !== undefined;
  }
}
