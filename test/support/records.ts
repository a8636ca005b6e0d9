import { randomBytes } from 'node:crypto';
import type { Role } from '../../src/contract/role.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import type { Member, StoredKey } from '../../src/service/account/account.ts';
import type { AccountKind, AccountReader } from '../../src/service/account/account-records.ts';
import type { ReportedArtifact } from '../../src/service/artifact/artifact.ts';
import * as artifacts from '../../src/service/artifact/artifact-use-cases.ts';
import type { Attestation } from '../../src/service/attestation/attestation.ts';
import * as attestationList from '../../src/service/attestation/attestation-lookup-use-cases.ts';
import * as attestations from '../../src/service/attestation/attestation-use-cases.ts';
import type { EnvironmentEvent } from '../../src/service/environment/environment-event.ts';
import * as environments from '../../src/service/environment/environment-use-cases.ts';
import type { Flow } from '../../src/service/flow/flow.ts';
import * as flows from '../../src/service/flow/flow-use-cases.ts';
import * as deliveries from '../../src/service/notification/delivery-use-cases.ts';
import type {
  Delivery,
  DeliveryFailure,
  DueTarget,
  NotificationRecord,
  TargetReference,
  TargetState,
} from '../../src/service/notification/notification.ts';
import * as notifications from '../../src/service/notification/notification-use-cases.ts';
import type { SigningSecret } from '../../src/service/notification/webhook-secret.ts';
import * as members from '../../src/service/organization/member-use-cases.ts';
import type { WakingLoop } from '../../src/service/platform/background/waking-loop.ts';
import { allOrganizations, concurrent, type Storage } from '../../src/service/platform/database/storage.ts';
import { type OnceResult, RepeatedRequest } from '../../src/service/platform/idempotency/carry-out-once.ts';
import { Judging } from '../../src/service/platform/judging/judging.ts';
import { readCurrent, startPendingSnapshots } from '../../src/service/platform/judging/pending-snapshots.ts';
import type { UseCaseDependencies } from '../../src/service/platform/judging/use-case-dependencies.ts';
import * as policies from '../../src/service/policy/policy-use-cases.ts';
import { readArtifacts } from '../../src/service/snapshot/content-views.ts';
import type { RunningArtifact } from '../../src/service/snapshot/running-artifact.ts';
import type { Environment, SnapshotSummary } from '../../src/service/snapshot/snapshot.ts';
import * as snapshots from '../../src/service/snapshot/snapshot-use-cases.ts';
import * as trails from '../../src/service/trail/trail-use-cases.ts';
import { manualClock } from './clock.ts';
import type { SampleNotification } from './notification-samples.ts';

type PolicyChange = Omit<environments.PolicyChange, 'attach' | 'detach'> & { readonly policies: readonly string[] };

/** A query for attestations at a time. */
export interface AttestationListQueryAt extends attestationList.AttestationListQuery {
  /** In Unix seconds. */
  readonly now: number;
}

/** The result of a use case for a request without a key, which repeats no other. */
async function unrepeated<Result>(outcome: Promise<OnceResult<Result>>): Promise<Result> {
  const result = await outcome;
  if (result instanceof RepeatedRequest) throw new TypeError('a request without a key was taken for a repetition');
  return result;
}

/** Runs use cases on a storage, each at a time that the test chooses (in Unix seconds). */
export class Records {
  readonly storage: Storage;
  readonly #judging = new Judging();

  constructor(storage: Storage) {
    this.storage = storage;
  }

  /** The dependencies with a clock that shows this time. */
  at(seconds: number): UseCaseDependencies {
    const shared = { storage: this.storage, judging: this.#judging };
    return {
      ...shared,
      now: () => seconds * 1000,
      randomBytes,
      loadTokenVerifier: () => Promise.reject(new Error('there is no issuer')),
    };
  }

  /** Creates an organization without members. */
  async createOrganization(org: string, at: number): Promise<'created' | 'exists'> {
    const inserted = await this.storage.transaction(org, (transaction) => transaction.organizations.insert(org, at));
    return inserted === 'inserted' ? 'created' : 'exists';
  }

  saveFlow(flow: flows.FlowToSave, at: number): Promise<flows.SaveFlowResult> {
    return unrepeated(flows.saveFlow(this.at(at), { ...flow, by: 'ann', mayDefine: true }));
  }

  /** Creates an organization with flows that require nothing. */
  async createOrganizationWithFlows(org: string, names: readonly string[]): Promise<void> {
    await this.createOrganization(org, 1);
    const rest = { description: '', template: [], visibility: undefined, repoUrl: undefined };
    for (const name of names) await this.saveFlow({ org, name, ...rest }, 2);
  }

  findFlow(org: string, name: string): Promise<Flow | undefined> {
    return this.storage.read((transaction) => transaction.flows.find(org, name));
  }

  recordAttestation(attestation: Omit<Attestation, 'sequence'>): Promise<attestations.AttestResult> {
    return unrepeated(attestations.recordAttestation(this.at(0), attestation));
  }

  recordArtifact(artifact: ReportedArtifact): Promise<artifacts.RecordArtifactResult> {
    return unrepeated(artifacts.recordArtifact(this.at(0), artifact));
  }

  findTrail(org: string, flow: string, name: string): ReturnType<typeof trails.findTrailHistory> {
    return trails.findTrailHistory(this.at(0), { org, flow, name });
  }

  beginTrail(trail: trails.TrailToBegin, at: number): Promise<trails.BeginTrailResult> {
    return unrepeated(trails.beginTrail(this.at(at), { ...trail, by: 'ann', mayDefine: true }));
  }

  /** Creates pending snapshots, as a running service does, until it is stopped. Time stands still without a clock. */
  startPendingSnapshots(clock: Pick<Clock, 'after'> = manualClock()): WakingLoop {
    const log = { info: () => undefined, error: () => undefined };
    return startPendingSnapshots({ ...this.at(0), after: (wait, fire) => clock.after(wait, fire), log });
  }

  saveEnvironment(
    environment: environments.EnvironmentToSave,
    at: number,
  ): Promise<environments.SaveEnvironmentResult> {
    return unrepeated(environments.saveEnvironment(this.at(at), environment));
  }

  /** When a flow or an environment of acme was created, as its audit package shows it. */
  async findCreationTime(name: 'flow' | 'environment', record: string): Promise<unknown> {
    const query = { org: 'acme', name, key: [record], size: 0, limit: 1 };
    const [found] = await this.storage.read(({ auditPackages }) => auditPackages.list(query, undefined));
    return found?.row['created_at'];
  }

  /** Creates its pending snapshots first. */
  findEnvironment(org: string, name: string): Promise<Environment | undefined> {
    const reference = { org, environments: [name] };
    return readCurrent(this.at(0), reference, (transaction) => transaction.environments.find(org, name));
  }

  recordReport(report: environments.EnvironmentReport, at: number): Promise<environments.RecordReportResult> {
    return unrepeated(environments.recordReport(this.at(at), report));
  }

  attachPolicies(change: PolicyChange, at: number): ReturnType<typeof environments.changePolicies> {
    return environments.changePolicies(this.at(at), { ...change, attach: change.policies, detach: [] });
  }

  detachPolicies(change: PolicyChange, at: number): ReturnType<typeof environments.changePolicies> {
    return environments.changePolicies(this.at(at), { ...change, attach: [], detach: change.policies });
  }

  async listSnapshots(query: snapshots.SnapshotListQuery): Promise<readonly SnapshotSummary[] | undefined> {
    return (await snapshots.listSnapshots(this.at(0), query))?.snapshots;
  }

  findSnapshot(org: string, [reading]: snapshots.SnapshotReadings, now: number): Promise<snapshots.SnapshotLookup> {
    return snapshots.findSnapshot(this.at(0), { org, ...reading, now });
  }

  /** What runs in a snapshot. */
  async readRunning({ content }: snapshots.FoundSnapshot): Promise<readonly RunningArtifact[]> {
    return readArtifacts(await snapshots.loadContent(this.at(0), content));
  }

  savePolicy(policy: policies.PolicyToSave, at: number): Promise<policies.SavePolicyResult> {
    return unrepeated(policies.savePolicy(this.at(at), policy));
  }

  /** A page of attestations; undefined if the flow does not exist. */
  async listAttestations({
    now,
    ...query
  }: AttestationListQueryAt): Promise<{ total: number; attestations: readonly Attestation[] } | undefined> {
    const found = await attestationList.findAttestationPage(this.at(now), query);
    if (found === undefined) return undefined;
    const attestations = await attestationList.listAttestations(this.at(now), query, found.range);
    return { total: found.total, attestations };
  }

  saveMember({ createdAt, ...member }: Member): ReturnType<typeof members.saveMember> {
    return unrepeated(members.saveMember(this.at(createdAt), { ...member, by: 'admin' }));
  }

  async listOrganizations(user: string): Promise<readonly string[]> {
    const memberships = await this.#accounts((accounts) => accounts.listMemberships(user));
    return memberships.map(({ org }) => org);
  }

  removeMember(org: string, user: string, at: number): Promise<'removed' | 'not found' | 'last admin'> {
    return unrepeated(members.removeMember(this.at(at), { org, user, by: 'admin' }));
  }

  /** Stores a notification without checking its environments. */
  createNotification(
    { targets, ...notification }: SampleNotification,
    secrets: ReadonlyMap<number, SigningSecret> = new Map(),
  ): Promise<number> {
    const added = targets.map((target, index) => ({ target, secret: secrets.get(index) }));
    return this.storage.transaction(notification.org, ({ notifications }) => notifications.insert(notification, added));
  }

  findNotification(org: string, number: number): Promise<NotificationRecord | undefined> {
    return this.storage.read((transaction) => transaction.notifications.find(org, number));
  }

  async findTargets(org: string, number: number): Promise<readonly TargetState[] | undefined> {
    return (await this.findNotification(org, number))?.targets;
  }

  async rotateWebhookSecret(
    target: TargetReference,
    secret: string,
    at: number,
  ): Promise<readonly SigningSecret[] | 'webhook not found'> {
    const rotation = { ...target, secret, grace: 100 };
    const rotated = await unrepeated(notifications.rotateWebhookSecret(this.at(at), rotation));
    return rotated.outcome === 'rotated' ? rotated.secrets : rotated.outcome;
  }

  deleteNotification(org: string, number: number, at: number): Promise<'deleted' | 'not found'> {
    return unrepeated(notifications.deleteNotification(this.at(at), { org, number }));
  }

  /** Adds events to the outbox, and to the queues of their targets. */
  async recordEvents(...events: readonly EnvironmentEvent[]): Promise<void> {
    await this.broadcast(...events);
    await this.distribute();
  }

  /** Adds events to the outbox, as the transaction of a snapshot does. */
  broadcast(...events: readonly EnvironmentEvent[]): Promise<void> {
    const places = Map.groupBy(events, ({ org, environment }) => `${org}/${environment}`);
    return this.storage.transaction(allOrganizations, async (transaction) => {
      for (const group of places.values()) {
        const { org = '', environment = '' } = group[0] ?? {};
        const listeners = await transaction.deliveries.listListeners(org, environment);
        await transaction.deliveries.insertBroadcasts(org, deliveries.toBroadcasts(listeners, group));
      }
    });
  }

  /** Distributes all broadcasts, as the dispatcher does. */
  async distribute(): Promise<void> {
    const find = (): Promise<string | undefined> =>
      this.storage.read((transaction) => transaction.deliveries.findBroadcastOrg('', []));
    for (let org = await find(); org !== undefined; org = await find()) {
      await deliveries.distributeBroadcast(this, { org });
    }
  }

  dueTargets(now: number, limit: number, claimant = 'process'): Promise<readonly DueTarget[]> {
    return this.storage.read((transaction) => transaction.deliveries.listDue({ now, limit, claimant }));
  }

  firstDelivery(target: TargetReference): Promise<Delivery | undefined> {
    return this.storage.read((transaction) => transaction.deliveries.findFirst(target));
  }

  nextDue(after: number): Promise<number | undefined> {
    return this.storage.read((transaction) => transaction.deliveries.findNextDue(after));
  }

  claimTarget(target: DueTarget, now: number, claimant = 'process'): Promise<Delivery | undefined> {
    const claim = { now, claimant };
    return this.storage.transaction(concurrent, (transaction) => transaction.deliveries.claim(target, claim));
  }

  releaseTarget(target: DueTarget, claimant = 'process'): Promise<void> {
    return this.storage.transaction(concurrent, (transaction) => transaction.deliveries.release(target, claimant));
  }

  rearmDeliveries(now: number): Promise<void> {
    return this.storage.transaction(concurrent, (transaction) => transaction.deliveries.rearm(now));
  }

  completeDelivery(delivery: Delivery, at: number): Promise<void> {
    return deliveries.completeDelivery(this.at(at), { delivery, at });
  }

  postponeDelivery(delivery: Delivery, failure: DeliveryFailure): Promise<void> {
    return deliveries.failDelivery(this.at(failure.at), { delivery, failure, isDropped: false });
  }

  dropDelivery(delivery: Delivery, failure: DeliveryFailure): Promise<void> {
    return deliveries.failDelivery(this.at(failure.at), { delivery, failure, isDropped: true });
  }

  addKey(key: StoredKey): Promise<'inserted' | 'exists'> {
    return this.storage.transaction(key.org, ({ accounts }) => accounts.insertKey(key));
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return this.#accounts((accounts) => accounts.findKey(id));
  }

  hasKeys(org: string): Promise<boolean> {
    return this.#accounts((accounts) => accounts.hasKeys(org));
  }

  revokeKey(org: string, id: string, at: number): Promise<'revoked' | 'not found'> {
    return this.storage.transaction(org, ({ accounts }) => accounts.revokeKey(org, id, at));
  }

  findRole(org: string, kind: AccountKind, owner: string): Promise<Role | undefined> {
    return this.#accounts((accounts) => accounts.findRole(org, kind, owner));
  }

  #accounts<Result>(read: (accounts: AccountReader) => Promise<Result>): Promise<Result> {
    return this.storage.read(({ accounts }) => read(accounts));
  }
}
