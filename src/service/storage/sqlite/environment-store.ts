import type { DatabaseSync } from 'node:sqlite';
import { maximumPolicies } from '../../../contract/limits.ts';
import type { SnapshotReading } from '../../../contract/snapshot-expression.ts';
import { sameArtifacts } from '../../domain/environment/running-artifact.ts';
import type { Provenance } from '../../domain/environment/snapshot-events.ts';
import { pageOf, rangeOf, selectedNumber, type SnapshotSeries } from '../../domain/environment/snapshot-series.ts';
import type { Environment, SnapshotSummary } from '../../domain/environment/snapshot.ts';
import type {
  EnvironmentReport,
  EnvironmentSaving,
  EnvironmentStore,
  EnvironmentToSave,
  PolicyChange,
  ReportOutcome,
  SnapshotFinding,
  SnapshotListQuery,
} from '../environment-store.ts';
import type { EvidenceSubject } from '../environments.ts';
import type { KnownMatches } from '../../domain/policy/work.ts';
import { lastBefore, type TimeSeries } from '../../domain/time-series.ts';
import { optional } from './answers.ts';
import { artifactsIn, compliantOf, headOf, type EnvironmentHead } from './environment-rows.ts';
import { environmentTexts, type EnvironmentStatements } from './environment-statements.ts';
import type { JudgingQueue } from './judging-queue.ts';
import { PendingSnapshots } from './pending-snapshots.ts';
import type { SqlitePolicies } from './policy-store.ts';
import { ProvenanceReader } from './provenance.ts';
import { number, text, type Row } from './rows.ts';
import { SnapshotMaker } from './snapshot-maker.ts';
import { SnapshotUpdates } from './snapshot-updates.ts';
import { prepare, type Statements } from './statements.ts';

/** Environments and their snapshots in SQLite. */
export class SqliteEnvironments implements EnvironmentStore {
  readonly #statements: EnvironmentStatements;
  readonly #queue: JudgingQueue;
  readonly #provenance: ProvenanceReader;
  readonly #snapshots: SnapshotMaker;
  readonly #updates: SnapshotUpdates;
  readonly #pending: PendingSnapshots;
  readonly #policies: SqlitePolicies;

  constructor(database: DatabaseSync, statements: Statements, queue: JudgingQueue, policies: SqlitePolicies) {
    this.#statements = prepare(database, environmentTexts);
    this.#queue = queue;
    this.#policies = policies;
    this.#provenance = new ProvenanceReader(statements, this.#statements);
    this.#snapshots = new SnapshotMaker(database, this.#statements, this.#provenance);
    this.#updates = new SnapshotUpdates(this.#statements, this.#snapshots);
    this.#pending = new PendingSnapshots(queue, this.#updates);
    this.#updates.onNoted(() => {
      this.#pending.start();
    });
    this.#pending.start();
  }

  saveEnvironment(environment: EnvironmentToSave, savedAt: number): Promise<EnvironmentSaving> {
    return this.#queue.write((matches) => {
      const { org, name, kind, description = null } = environment;
      const fault = this.#faultOf(environment);
      if (fault !== undefined) return fault;
      this.#statements.saveEnvironment.run(org, name, kind, description, savedAt);
      const changes = [this.#setMembers(environment), this.#setPolicies(environment, savedAt)];
      if (changes.includes(true)) this.#updates.make(name, { org, at: savedAt, forced: true }, matches);
      return { outcome: 'saved' };
    });
  }

  #faultOf({ org, name, kind, members = [], policies = [] }: EnvironmentToSave): EnvironmentSaving | undefined {
    const known = this.#snapshots.head(org, name);
    if (known !== undefined && known.kind !== kind) return { outcome: 'of another kind', kind: known.kind };
    for (const member of members) {
      const head = this.#snapshots.head(org, member);
      if (head === undefined) return { outcome: 'member not found', member };
      if (head.kind === 'logical') return { outcome: 'member is logical', member };
    }
    const policy = policies.find((wanted) => !this.#policies.has(org, wanted));
    return policy === undefined ? undefined : { outcome: 'policy not found', policy };
  }

  /** Whether other members are shown now. */
  #setMembers({ org, name, members }: EnvironmentToSave): boolean {
    if (members === undefined) return false;
    const wanted = [...new Set(members)].sort();
    if (wanted.join('\n') === this.#membersOf(org, name).join('\n')) return false;
    this.#statements.removeMembers.run(org, name);
    for (const member of wanted) this.#statements.addMember.run(org, name, member);
    return true;
  }

  /** Whether other policies apply now. */
  #setPolicies({ org, name: environment, policies: wanted, user }: EnvironmentToSave, at: number): boolean {
    if (wanted === undefined) return false;
    const attached = this.#policiesOf(org, environment);
    const removed = attached.filter((policy) => !wanted.includes(policy));
    const isDetached = this.#detach({ org, environment, policies: removed, user }, at);
    return this.#attach({ org, environment, policies: wanted, user }, at) || isDetached;
  }

  findEnvironment(org: string, name: string): Promise<Environment | undefined> {
    return this.#pending.read(org, [name], () =>
      optional(this.#statements.findEnvironment.get(org, name), (row) => ({
        ...headOf(row),
        description: text(row, 'description'),
        createdAt: number(row, 'created_at'),
        lastModifiedAt: number(row, 'last_modified_at'),
        members: this.#membersOf(org, name),
        policies: this.#policiesOf(org, name),
      })),
    );
  }

  recordReport({ org, environment, kind, artifacts }: EnvironmentReport, reportedAt: number): Promise<ReportOutcome> {
    // Written out before the turn that commits, which everyone waits for.
    const content = JSON.stringify(artifacts);
    return this.#queue.write((matches): ReportOutcome => {
      const head = this.#snapshots.head(org, environment);
      if (head === undefined) return { outcome: 'environment not found' };
      if (head.kind !== kind) return { outcome: 'of another kind', kind: head.kind };
      const current = this.#statements.findSnapshot.get(org, environment, head.latest);
      if (current !== undefined && text(current, 'content') === content) return { outcome: 'nothing new' };
      if (current !== undefined && sameArtifacts(artifactsIn(current), artifacts)) {
        this.#statements.setContent.run(content, org, environment, head.latest);
        return { outcome: 'nothing new' };
      }
      this.#updates.make(environment, { org, at: reportedAt, forced: true }, matches, artifacts);
      return { outcome: 'snapshot made' };
    });
  }

  attachPolicies(change: PolicyChange, attachedAt: number): Promise<'attached' | 'not found' | 'too many'> {
    return this.#queue.write((matches) => {
      const { org, environment, policies } = change;
      const isKnown = this.#snapshots.head(org, environment) !== undefined;
      if (!isKnown || !policies.every((policy) => this.#policies.has(org, policy))) return 'not found';
      if (new Set([...this.#policiesOf(org, environment), ...policies]).size > maximumPolicies) return 'too many';
      if (this.#attach(change, attachedAt))
        this.#updates.make(environment, { org, at: attachedAt, forced: true }, matches);
      return 'attached';
    });
  }

  detachPolicies(change: PolicyChange, detachedAt: number): Promise<'detached' | 'not found'> {
    return this.#queue.write((matches) => {
      const { org, environment, policies } = change;
      const attached = this.#policiesOf(org, environment);
      if (!policies.every((policy) => attached.includes(policy))) return 'not found';
      if (this.#detach(change, detachedAt))
        this.#updates.make(environment, { org, at: detachedAt, forced: true }, matches);
      return 'detached';
    });
  }

  /** Whether one of them was not attached before. */
  #attach({ org, environment, policies, user }: PolicyChange, timestamp: number): boolean {
    const attached = this.#policiesOf(org, environment);
    const added = [...new Set(policies)].filter((policy) => !attached.includes(policy));
    for (const policy of added) {
      this.#statements.attach.run(org, environment, policy);
      this.#policies.addEvent(org, policy, { type: 'policy_attached', timestamp, user, environment });
    }
    return added.length > 0;
  }

  #detach({ org, environment, policies, user }: PolicyChange, timestamp: number): boolean {
    const removed = [...new Set(policies)];
    for (const policy of removed) {
      this.#statements.detach.run(org, environment, policy);
      this.#policies.addEvent(org, policy, { type: 'policy_detached', timestamp, user, environment });
    }
    return removed.length > 0;
  }

  listSnapshots(query: SnapshotListQuery): Promise<readonly SnapshotSummary[] | undefined> {
    const { org, environment, interval, page, now } = query;
    return this.#pending.read(org, [environment], () =>
      optional(this.#snapshots.head(org, environment), (head) => {
        const { first, last } = pageOf(rangeOf(interval, this.#seriesOf(head, now), now), page);
        const summaries = this.#summaries(head, first, last);
        return page.ascending ? summaries : summaries.toReversed();
      }),
    );
  }

  #summaries({ org, name }: EnvironmentHead, first: number, last: number): readonly SnapshotSummary[] {
    // One more than asked for, because a snapshot ends where the next one begins.
    const rows = last < first ? [] : this.#statements.listSnapshots.all(org, name, first, last + 1);
    return rows
      .map((row, index) => ({
        number: number(row, 'number'),
        from: number(row, 'made_at'),
        to: optional(rows[index + 1], (next) => number(next, 'made_at')),
        compliant: compliantOf(row),
      }))
      .slice(0, last - first + 1);
  }

  #seriesOf({ org, name, latest }: EnvironmentHead, now: number): SnapshotSeries {
    const { stepsBack, timeOfSnapshot } = this.#statements;
    const times = (): TimeSeries => ({
      length: latest,
      timeOf: (wanted) => number(timeOfSnapshot.get(org, name, wanted) ?? {}, 'made_at'),
      stepsBack: stepsBack.all(org, name).map((row) => number(row, 'number')),
    });
    return {
      latest,
      // The interface has times in whole seconds, so a snapshot is found by any time within the second it was made in.
      numberAt: (time) => lastBefore(times(), Math.floor(time) + 1, now),
    };
  }

  findSnapshot(org: string, readings: readonly SnapshotReading[], now: number): Promise<SnapshotFinding> {
    const names = readings.map(({ environment }) => environment);
    return this.#pending.read(org, names, () => {
      for (const { environment, selector } of readings) {
        const head = this.#snapshots.head(org, environment);
        if (head === undefined) continue;
        const wanted = selectedNumber(selector, this.#seriesOf(head, now), now);
        if (this.#snapshots.isTooLarge(head, wanted)) return { outcome: 'too large' };
        const snapshot = this.#snapshots.read(head, wanted);
        if (snapshot !== undefined) return { outcome: 'found', snapshot };
        return { outcome: 'no such snapshot', environment, latest: head.latest };
      }
      return { outcome: 'environment not found' };
    });
  }

  findProvenance(org: string, fingerprints: readonly string[]): Promise<ReadonlyMap<string, Provenance>> {
    return this.#queue.read(() => {
      const known = fingerprints.map(
        (fingerprint) => [fingerprint, this.#provenance.latest(org, fingerprint)] as const,
      );
      return new Map(known.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
    });
  }

  /** Makes the next snapshot of every environment that the policy is attached to; call it within a write. */
  policyChanged(org: string, environments: readonly string[], at: number, matches: KnownMatches): void {
    this.#updates.update(environments, { org, at, forced: true }, matches);
  }

  /** Judges the environments anew that run what new evidence is about; call it within the write of the evidence. */
  evidenceChanged(subject: EvidenceSubject, at: number, matches: KnownMatches): void {
    const { org } = subject;
    if (this.#statements.hasPolicies.get(org) === undefined) return;
    const running = this.#whereRuns(subject);
    const showing = running.flatMap((name) => this.#statements.showing.all(org, name));
    const logical = showing.map((row) => text(row, 'environment'));
    this.#updates.update([...running, ...new Set(logical)], { org, at, forced: false }, matches);
  }

  #whereRuns(subject: EvidenceSubject): readonly string[] {
    return this.#rowsWhereRuns(subject).map((row) => text(row, 'environment'));
  }

  #rowsWhereRuns(subject: EvidenceSubject): readonly Row[] {
    const { whereFingerprintRuns, whereFlowRuns, isLargeTrail, whereLargeTrailRuns, whereTrailRuns } = this.#statements;
    if ('fingerprint' in subject) return whereFingerprintRuns.all(subject.org, subject.fingerprint);
    const { org, flow, trail } = subject;
    if (trail === undefined) return whereFlowRuns.all(org, flow);
    const isLarge = isLargeTrail.get(org, flow, trail) !== undefined;
    return (isLarge ? whereLargeTrailRuns : whereTrailRuns).all(org, flow, trail);
  }

  /** Makes no further snapshots by itself. */
  close(): void {
    this.#pending.close();
  }

  #membersOf(org: string, name: string): readonly string[] {
    return this.#statements.membersOf.all(org, name).map((row) => text(row, 'member'));
  }

  #policiesOf(org: string, name: string): readonly string[] {
    return this.#statements.policiesOf.all(org, name).map((row) => text(row, 'policy'));
  }
}
