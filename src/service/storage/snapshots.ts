import type { NumberRange, Page } from '../domain/environment/snapshot-series.ts';
import type { EnvironmentJudgement } from '../domain/policy/judge-environment.ts';

/** Identifies a snapshot within an organization. */
export interface SnapshotReference {
  readonly environment: string;
  readonly number: number;
}

/** A stored snapshot. */
export interface StoredSnapshot extends SnapshotReference {
  readonly org: string;
  readonly from: number;
  readonly judgement: EnvironmentJudgement;
  /** The content as JSON (`domain/environment/snapshot-serialization.ts`); returned unchanged. */
  readonly content: string;
}

/** A snapshot without its content. */
export interface SnapshotVerdict extends SnapshotReference {
  readonly from: number;
  readonly compliant: boolean | null;
}

/** The judgement of a snapshot, without its content. */
export interface JudgedReference extends SnapshotReference {
  readonly judgement: EnvironmentJudgement;
}

/** An environment with a pending snapshot. */
export interface PendingReference {
  readonly org: string;
  readonly environment: string;
}

/** A snapshot that is not created yet. */
export interface PendingSnapshot extends PendingReference {
  /** The time of the latest change that affected the environment, in Unix seconds. */
  readonly since: number;
  /** Whether to create a snapshot even if the verdict stays the same. */
  readonly forced: boolean;
}

/** A query for what started and stopped running in an environment. */
export interface MovementQuery {
  readonly org: string;
  readonly environment: string;
  readonly range: NumberRange;
  /** In Unix seconds, both included; undefined for no limit. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** Only artifacts that were reported from any of these repositories; undefined for all. */
  readonly repositories: readonly string[] | undefined;
  readonly page: Page;
}

/** An artifact that started or stopped running. */
export interface RunningEvent {
  /** The number of the first snapshot that shows it. */
  readonly snapshot: number;
  readonly at: number;
  readonly type: 'started' | 'exited';
  readonly fingerprint: string;
  /** Its name when it started; empty if it is not known. */
  readonly name: string;
}

/** Reads snapshots. Those of an environment are numbered from 1 to the latest, without gaps. */
export interface SnapshotReader {
  find(org: string, reference: SnapshotReference): Promise<StoredSnapshot | undefined>;
  /** The contents of the existing snapshots among these, in the order of the references. */
  listContents(org: string, references: readonly SnapshotReference[]): Promise<readonly string[]>;
  /** The verdicts of the existing snapshots among these; much cheaper than reading the snapshots. */
  findVerdicts(org: string, references: readonly SnapshotReference[]): Promise<readonly SnapshotVerdict[]>;
  /** The judgements of the existing snapshots among these, in the order of the references. */
  listJudgements(org: string, references: readonly SnapshotReference[]): Promise<readonly JudgedReference[]>;
  /** The total size of the contents in bytes; much cheaper than reading them. */
  findContentBytes(org: string, references: readonly SnapshotReference[]): Promise<number>;
  /** The snapshots of the range in ascending order. */
  listRange(org: string, environment: string, range: NumberRange): Promise<readonly SnapshotVerdict[]>;
  /** The times of these snapshots, which must exist. */
  listTimes(org: string, environment: string, numbers: readonly number[]): Promise<readonly number[]>;
  /**
   * The first of the latest snapshots in a row that have the same verdict; undefined if there is no snapshot. Its cost
   * does not depend on the number of snapshots.
   */
  findVerdictStart(org: string, environment: string): Promise<SnapshotVerdict | undefined>;
  /** The numbers whose time is before that of their predecessor, in ascending order; usually none. */
  listStepsBack(org: string, environment: string): Promise<readonly number[]>;
  /**
   * The first number of the range whose time is at or after this one; one more than the last if there is none. Times
   * must not decrease within the range, so that the adapter can use a single search.
   */
  findFirstNotBefore(org: string, environment: string, range: NumberRange, time: number): Promise<number>;

  /** A page of what started and stopped running. */
  listMovements(query: MovementQuery): Promise<readonly RunningEvent[]>;

  findPending(reference: PendingReference): Promise<PendingSnapshot | undefined>;
  /**
   * The pending snapshots to create before these environments are read: those of their members first, then their own.
   */
  listPendingFor(org: string, environments: readonly string[]): Promise<readonly PendingSnapshot[]>;
  /** The next pending snapshot after this one, round-robin through all organizations; undefined if there is none. */
  findNextPending(after: PendingReference | undefined): Promise<PendingSnapshot | undefined>;
}

/** An artifact that started to run. */
export interface StartedArtifact {
  readonly fingerprint: string;
  /** One of its names. */
  readonly name: string;
}

/** Reads and writes snapshots. */
export interface SnapshotWriter extends SnapshotReader {
  /** Inserts the snapshot as the latest of its environment. */
  insert(snapshot: StoredSnapshot, isStepBack: boolean): Promise<void>;
  replaceContent(org: string, reference: SnapshotReference, content: string): Promise<void>;
  /** Records which artifacts started and which stopped running with this snapshot. */
  recordMovement(
    org: string,
    snapshot: SnapshotReference & { readonly from: number },
    movement: { readonly started: readonly StartedArtifact[]; readonly exited: readonly string[] },
  ): Promise<void>;

  /** Records a pending snapshot. If there is one already, it gets the new time and stays forced if it was. */
  savePending(pending: PendingSnapshot): Promise<void>;
  deletePending(reference: PendingReference): Promise<void>;
}
