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
import type { KnownMatches } from '../../domain/policy/work.ts';
import type { Attestation, ReportedArtifact, TrailDossier } from '../../domain/records.ts';
import { evidenceName, scopesOfAttestation } from '../../domain/binding.ts';
import type { ArtifactFinding, ArtifactQuery, AttestationRecording, Store } from '../store.ts';
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
import { answer, optional } from './answers.ts';
import { ArtifactCache } from './artifact-cache.ts';
import { SqliteAttestationList } from './attestation-list.ts';
import { SqliteEnvironments } from './environment-store.ts';
import { JudgingQueue } from './judging-queue.ts';
import { SqliteNotifications } from './notifications.ts';
import { SqlitePolicies } from './policy-store.ts';
import { artifactOf, attestationOf, number, summaryOf, trailOf } from './rows.ts';
import { prepareStatements, type Statements } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';
import type { WrittenSources } from './written-sources.ts';

/** What has not moved to the port of the storage yet (`SqliteStorage`). */
export class SqliteStore implements Store {
  readonly #statements: Statements;
  readonly #queue: WriteQueue;
  readonly #judging: JudgingQueue;
  readonly #artifacts: ArtifactCache;
  readonly #attestationList: SqliteAttestationList;
  readonly #environments: SqliteEnvironments;
  readonly #policies: SqlitePolicies;
  readonly #notifications: SqliteNotifications;

  /** Judging, for the use cases that have moved to `application/`. */
  readonly evidenceChanges: EvidenceChanges;

  constructor(database: DatabaseSync, queue: WriteQueue, written: WrittenSources) {
    this.#statements = prepareStatements(database);
    this.#queue = queue;
    this.#judging = new JudgingQueue(queue);
    this.#artifacts = new ArtifactCache(this.#statements, written);
    this.#attestationList = new SqliteAttestationList(database, queue);
    this.#policies = new SqlitePolicies(database, this.#judging);
    this.#environments = new SqliteEnvironments(database, this.#statements, this.#judging, this.#policies);
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
    return this.#queue.read(
      () => this.#statements.latestArtifactOfTrail.get(org, flow, trail, fingerprint) !== undefined,
    );
  }

  findArtifact(query: ArtifactQuery): Promise<ArtifactFinding> {
    return this.#queue.read(() => this.#artifacts.find(query));
  }

  findTrail(org: string, flow: string, trail: string): Promise<TrailDossier | undefined> {
    return this.#queue.read(() =>
      optional(this.#statements.findTrail.get(org, flow, trail), (row) => ({
        trail: trailOf(row),
        artifacts: this.#statements.artifactsOfTrail.all(org, flow, trail).map(artifactOf),
        attestations: this.#statements.attestationsOfTrail.all(org, flow, trail).map(summaryOf),
      })),
    );
  }

  findAttestation(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined> {
    return this.#queue.read(() => optional(this.#statements.findAttestation.get(org, id, flow, trail), attestationOf));
  }

  isAttached(digest: string): Promise<boolean> {
    return this.#queue.read(() => this.#statements.isAttached.get(digest) !== undefined);
  }

  countAttached(): Promise<number> {
    return this.#queue.read(() => number(this.#statements.countAttached.get() ?? {}, 'count'));
  }

  /** Makes no further snapshots by itself. */
  stop(): void {
    this.#environments.close();
  }

  #hasFlow(org: string, flow: string): boolean {
    return this.#statements.hasFlow.get(org, flow) !== undefined;
  }
}
