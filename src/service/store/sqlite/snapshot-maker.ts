import type { DatabaseSync } from 'node:sqlite';
import type { RunningArtifact } from '../../domain/environment/running-artifact.ts';
import { eventsBetween, movementBetween } from '../../domain/environment/snapshot-events.ts';
import {
  artifactsOfMembers,
  beginningOf,
  judgeWithMembers,
  type MemberSnapshot,
  type Snapshot,
} from '../../domain/environment/snapshot.ts';
import { judgeEnvironment, type EnvironmentJudgement } from '../../domain/policy/judge-environment.ts';
import { optional } from './answers.ts';
import {
  artifactsIn,
  attachedPolicyOf,
  headOf,
  judgementIn,
  membersIn,
  type EnvironmentHead,
  type MemberReference,
} from './environment-rows.ts';
import type { EnvironmentStatements } from './environment-statements.ts';
import { recordEvents } from './outbox.ts';
import type { ProvenanceReader } from './provenance.ts';
import { number, text } from './rows.ts';

/** What the next snapshot will show. */
interface Draft {
  /** As it is stored. */
  readonly content: string;
  readonly artifacts: readonly RunningArtifact[];
  /** Of a logical environment; empty for all others. */
  readonly members: readonly MemberSnapshot[];
}

/** Makes the snapshots of environments, each with its judgement, its events and what follows from it, in one transaction. */
export class SnapshotMaker {
  readonly #database: DatabaseSync;
  readonly #statements: EnvironmentStatements;
  readonly #provenance: ProvenanceReader;

  constructor(database: DatabaseSync, statements: EnvironmentStatements, provenance: ProvenanceReader) {
    this.#database = database;
    this.#statements = statements;
    this.#provenance = provenance;
  }

  head(org: string, name: string): EnvironmentHead | undefined {
    return optional(this.#statements.findEnvironment.get(org, name), headOf);
  }

  /** A snapshot by its number; undefined where there is none. */
  read({ org, name, kind }: EnvironmentHead, wanted: number): Snapshot | undefined {
    return optional(this.#statements.findSnapshot.get(org, name, wanted), (row) => ({
      org,
      environment: name,
      number: wanted,
      from: number(row, 'made_at'),
      artifacts: kind === 'logical' ? artifactsOfMembers(this.#members(org, membersIn(row))) : artifactsIn(row),
      judgement: judgementIn(row),
    }));
  }

  /**
   * Makes the next snapshot of an environment, and of every logical one that shows it.
   *
   * @param artifacts what runs now; undefined where nothing new is known of that. While nothing was ever reported, there is
   *   nothing to show and no snapshot is made.
   */
  makeNext(org: string, name: string, now: number, artifacts?: readonly RunningArtifact[]): void {
    const head = this.head(org, name);
    if (head === undefined) return;
    const previous = this.read(head, head.latest);
    const draft = this.#draft(head, previous, artifacts);
    if (draft === undefined) return;
    this.#add(head, previous, draft, this.#judge(head, draft), now);
    for (const row of this.#statements.showing.all(org, name)) this.makeNext(org, text(row, 'environment'), now);
  }

  /** Makes the next snapshot of every one of the environments whose verdict is another one now than it was. */
  judgeAnew(org: string, names: readonly string[], now: number): void {
    for (const name of names) {
      const head = this.head(org, name);
      const previous = head === undefined ? undefined : this.read(head, head.latest);
      if (head === undefined || previous === undefined) continue;
      const draft = this.#draft(head, previous);
      const judgement = draft === undefined ? previous.judgement : this.#judge(head, draft);
      if (judgement.compliant !== previous.judgement.compliant) this.makeNext(org, name, now);
    }
  }

  #draft(
    head: EnvironmentHead,
    previous: Snapshot | undefined,
    artifacts: readonly RunningArtifact[] | undefined = previous?.artifacts,
  ): Draft | undefined {
    if (head.kind !== 'logical') {
      return optional(artifacts, (known) => ({ content: JSON.stringify(known), artifacts: known, members: [] }));
    }
    const references = this.#statements.memberNumbers
      .all(head.org, head.name)
      .map((row): MemberReference => ({ environment: text(row, 'member'), number: number(row, 'latest') }));
    if (references.length === 0 && previous === undefined) return undefined;
    const members = this.#members(head.org, references);
    return { content: JSON.stringify(references), artifacts: artifactsOfMembers(members), members };
  }

  #members(org: string, references: readonly MemberReference[]): readonly MemberSnapshot[] {
    return references.flatMap(({ environment, number: wanted }) => {
      const head = this.head(org, environment);
      const snapshot = head === undefined ? undefined : this.read(head, wanted);
      if (snapshot === undefined) return [];
      const { artifacts, judgement } = snapshot;
      return [{ environment, number: wanted, artifacts, compliant: judgement.compliant }];
    });
  }

  #judge({ org, name }: EnvironmentHead, { artifacts, members }: Draft): EnvironmentJudgement {
    const policies = this.#statements.rulesOf.all(org, name).map(attachedPolicyOf);
    const judged = policies.length === 0 ? [] : this.#provenance.judged(org, artifacts);
    return judgeWithMembers(judgeEnvironment(policies, judged), members);
  }

  #add(
    { org, name, kind, latest }: EnvironmentHead,
    previous: Snapshot | undefined,
    { artifacts, content }: Draft,
    judgement: EnvironmentJudgement,
    now: number,
  ): void {
    const from = beginningOf(now, previous);
    const next: Snapshot = { org, environment: name, number: latest + 1, from, artifacts, judgement };
    const compliant = judgement.compliant === null ? null : Number(judgement.compliant);
    this.#statements.addSnapshot.run(org, name, next.number, from, compliant, JSON.stringify(judgement), content);
    this.#statements.setLatest.run(next.number, org, name);
    // An artifact runs in the members of a logical environment, not once more in itself.
    if (kind !== 'logical') this.#move(next, movementBetween(previous?.artifacts ?? [], artifacts));
    const provenanceOf = (fingerprint: string): ReturnType<ProvenanceReader['latest']> =>
      this.#provenance.latest(org, fingerprint);
    recordEvents(this.#database, eventsBetween(previous, next, provenanceOf));
  }

  #move(
    { org, environment, number: at, from }: Snapshot,
    { started, exited }: ReturnType<typeof movementBetween>,
  ): void {
    for (const fingerprint of exited) this.#statements.exit.run(at, from, org, fingerprint, environment);
    for (const fingerprint of started) this.#statements.start.run(org, fingerprint, environment, at, from);
  }
}
