import type { DatabaseSync } from 'node:sqlite';
import type { RunningArtifact } from '../../domain/environment/running-artifact.ts';
import { eventsBetween, movementBetween } from '../../domain/environment/snapshot-events.ts';
import {
  artifactsOfMembers,
  judgeWithMembers,
  type MemberVerdict,
  type Snapshot,
} from '../../domain/environment/snapshot.ts';
import { judgeEnvironment, type EnvironmentJudgement } from '../../domain/policy/judge-environment.ts';
import type { Work } from '../../domain/policy/work.ts';
import { optional } from './answers.ts';
import {
  artifactsIn,
  compliantOf,
  headOf,
  judgementIn,
  membersIn,
  type EnvironmentHead,
  type MemberReference,
} from './environment-rows.ts';
import type { EnvironmentStatements } from './environment-statements.ts';
import { hasListeners, recordEvents } from './outbox.ts';
import { PolicyCache } from './policy-cache.ts';
import type { ProvenanceReader } from './provenance.ts';
import { number, text } from './rows.ts';

/** What the next snapshot will show. */
interface Draft {
  /** As it is stored. */
  readonly content: string;
  /** Read when they are asked for, because a logical environment can have very many. */
  readonly artifacts: () => readonly RunningArtifact[];
  /** Of a logical environment; empty for all others. */
  readonly members: readonly MemberVerdict[];
}

/** The snapshot before the next one, as far as that is already read. */
interface Previous {
  readonly from: number;
  readonly judgement: EnvironmentJudgement;
  readonly artifacts: () => readonly RunningArtifact[];
}

/** Makes the snapshots of single environments, each with its judgement and its events, within a transaction. */
export class SnapshotMaker {
  readonly #database: DatabaseSync;
  readonly #statements: EnvironmentStatements;
  readonly #provenance: ProvenanceReader;
  readonly #policies = new PolicyCache();

  constructor(database: DatabaseSync, statements: EnvironmentStatements, provenance: ProvenanceReader) {
    this.#database = database;
    this.#statements = statements;
    this.#provenance = provenance;
  }

  head(org: string, name: string): EnvironmentHead | undefined {
    return optional(this.#statements.findEnvironment.get(org, name), headOf);
  }

  /** A snapshot by its number; undefined if there is none. */
  read(head: EnvironmentHead, wanted: number): Snapshot | undefined {
    const { org, name } = head;
    return optional(this.#previous(head, wanted), ({ from, judgement, artifacts }) => {
      return { org, environment: name, number: wanted, from, judgement, artifacts: artifacts() };
    });
  }

  /** Whether its members show more than is put together at once. */
  isTooLarge({ org, name, kind }: EnvironmentHead, wanted: number): boolean {
    if (kind !== 'logical') return false;
    const row = this.#statements.findSnapshot.get(org, name, wanted);
    return row !== undefined && this.#sizeOf(org, text(row, 'content')) > largestSnapshot;
  }

  #previous({ org, name, kind }: EnvironmentHead, wanted: number): Previous | undefined {
    return optional(this.#statements.findSnapshot.get(org, name, wanted), (row) => ({
      from: number(row, 'made_at'),
      judgement: judgementIn(row),
      artifacts: onDemand(() => (kind === 'logical' ? this.#artifactsOf(org, membersIn(row)) : artifactsIn(row))),
    }));
  }

  /**
   * Makes the next snapshot of an environment.
   *
   * @param artifacts what runs now; undefined if nothing new is known of that. While nothing was ever reported, there is
   *   nothing to show and no snapshot is made.
   * @throws MatchesMissing
   */
  make(head: EnvironmentHead, now: number, work: Work, artifacts?: readonly RunningArtifact[]): 'made' | 'nothing' {
    const previous = this.#previous(head, head.latest);
    const draft = this.#draft(head, previous, artifacts);
    if (draft === undefined) return 'nothing';
    this.#add(head, previous, draft, this.#judge(head, draft, work), now);
    return 'made';
  }

  /**
   * Makes the next snapshot of an environment if its verdict is another one now than it was.
   *
   * @throws MatchesMissing
   */
  makeIfVerdictChanged(head: EnvironmentHead, now: number, work: Work): 'made' | 'nothing' {
    const previous = this.#previous(head, head.latest);
    const draft = previous === undefined ? undefined : this.#draft(head, previous);
    if (previous === undefined || draft === undefined) return 'nothing';
    const judgement = this.#judge(head, draft, work);
    if (judgement.compliant === previous.judgement.compliant) return 'nothing';
    this.#add(head, previous, draft, judgement, now);
    return 'made';
  }

  #draft(
    { org, name, kind }: EnvironmentHead,
    previous: Previous | undefined,
    reported?: readonly RunningArtifact[],
  ): Draft | undefined {
    if (kind !== 'logical') {
      const known = reported ?? previous?.artifacts();
      return optional(known, (artifacts) => {
        return { content: JSON.stringify(artifacts), artifacts: () => artifacts, members: [] };
      });
    }
    const references = this.#statements.memberNumbers
      .all(org, name)
      .map((row): MemberReference => ({ environment: text(row, 'member'), number: number(row, 'latest') }));
    if (references.length === 0 && previous === undefined) return undefined;
    return {
      content: JSON.stringify(references),
      artifacts: onDemand(() => this.#artifactsOf(org, references)),
      members: references.flatMap(({ environment, number: wanted }) => {
        const row = this.#statements.findVerdict.get(org, environment, wanted);
        return row === undefined ? [] : [{ compliant: compliantOf(row) }];
      }),
    };
  }

  #artifactsOf(org: string, references: readonly MemberReference[]): readonly RunningArtifact[] {
    return artifactsOfMembers(
      references.flatMap(({ environment, number: wanted }) => {
        const row = this.#statements.findSnapshot.get(org, environment, wanted);
        return row === undefined ? [] : [artifactsIn(row)];
      }),
    );
  }

  #judge({ org, name }: EnvironmentHead, { artifacts, members, content }: Draft, work: Work): EnvironmentJudgement {
    const policies = this.#statements.rulesOf.all(org, name).map((row) => {
      const compiled = this.#policies.compile(text(row, 'rules'));
      return { name: text(row, 'policy'), version: number(row, 'version'), compiled };
    });
    const readArtifacts = (): ReturnType<ProvenanceReader['judged']> => {
      work.spend(Math.ceil(this.#sizeOf(org, members.length === 0 ? undefined : content) / charactersInStep));
      return this.#provenance.judged(org, artifacts(), work);
    };
    return judgeWithMembers(judgeEnvironment(policies, readArtifacts, work), members);
  }

  /** How many bytes the members have that a snapshot of a logical environment shows; 0 for all others. */
  #sizeOf(org: string, content: string | undefined): number {
    return content === undefined ? 0 : number(this.#statements.sizeOfMembers.get(content, org) ?? {}, 'size');
  }

  #add(
    { org, name, kind, latest }: EnvironmentHead,
    previous: Previous | undefined,
    { artifacts, content }: Draft,
    judgement: EnvironmentJudgement,
    from: number,
  ): void {
    const at = latest + 1;
    const compliant = judgement.compliant === null ? null : Number(judgement.compliant);
    const isStepBack = previous !== undefined && from < previous.from;
    this.#statements.addSnapshot.run(
      ...[org, name, at, from, compliant, JSON.stringify(judgement), content, Number(isStepBack)],
    );
    this.#statements.setLatest.run(at, org, name);
    this.#statements.removePending.run(org, name);
    // An artifact runs in the members of a logical environment, not once more in itself.
    if (kind !== 'logical') {
      const { started, exited } = movementBetween(previous?.artifacts() ?? [], artifacts());
      this.#statements.exit.run(at, from, org, name, JSON.stringify(exited));
      this.#statements.start.run(org, name, at, from, JSON.stringify(started));
    }
    // Most environments have no listeners, and telling what happened takes reading a lot.
    if (!hasListeners(this.#database, org, name)) return;
    const head = { org, name, kind, latest };
    const isTooLarge = this.isTooLarge(head, latest) || this.isTooLarge(head, at);
    const snapshot = (number: number, { artifacts: read, ...rest }: Previous): Snapshot => {
      return { org, environment: name, number, ...rest, artifacts: isTooLarge ? [] : read() };
    };
    const provenanceOf = (fingerprint: string): ReturnType<ProvenanceReader['latest']> =>
      this.#provenance.latest(org, fingerprint);
    const before = previous === undefined ? undefined : snapshot(latest, previous);
    const next = snapshot(at, { from, judgement, artifacts });
    recordEvents(this.#database, eventsBetween(before, next, provenanceOf));
  }
}

/** The content of all the members of a logical environment that is put together at once, in bytes. */
const largestSnapshot = 8 * 1024 * 1024;

/** Reading and merging this many characters of what runs takes about as long as a step of a judgement. */
const charactersInStep = 8;

/** Reads at the first call, and answers the same ever after. */
function onDemand<Value>(read: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}
