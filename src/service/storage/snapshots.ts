import type { NumberRange } from '../domain/environment/snapshot-series.ts';
import type { EnvironmentJudgement } from '../domain/policy/judge-environment.ts';

/** One snapshot of one environment. */
export interface SnapshotReference {
  readonly environment: string;
  readonly number: number;
}

/** A snapshot as it is stored. */
export interface StoredSnapshot extends SnapshotReference {
  readonly org: string;
  readonly from: number;
  readonly judgement: EnvironmentJudgement;
  /** What it shows, as JSON (`domain/environment/snapshot-content.ts`); comes back as it was given. */
  readonly content: string;
}

/** A snapshot without its content. */
export interface SnapshotVerdict extends SnapshotReference {
  readonly from: number;
  readonly compliant: boolean | null;
}

/** An environment whose next snapshot is still to be made. */
export interface PendingReference {
  readonly org: string;
  readonly environment: string;
}

/** A snapshot that is still to be made. */
export interface PendingSnapshot extends PendingReference {
  /** The time of the latest change that touched the environment, in Unix seconds. */
  readonly since: number;
  /** Whether a snapshot is made even if the verdict stays the same. */
  readonly forced: boolean;
}

/** Snapshots as they are read. Those of an environment are numbered from 1 to the latest, without gaps. */
export interface SnapshotReader {
  find(org: string, reference: SnapshotReference): Promise<StoredSnapshot | undefined>;
  /** The contents of those of the snapshots that exist, in the order of the references. */
  listContents(org: string, references: readonly SnapshotReference[]): Promise<readonly string[]>;
  /** Those of the snapshots that exist; costs much less than reading them. */
  findVerdicts(org: string, references: readonly SnapshotReference[]): Promise<readonly SnapshotVerdict[]>;
  /** How many bytes the contents have together; costs much less than reading them. */
  findContentBytes(org: string, references: readonly SnapshotReference[]): Promise<number>;
  /** Those of these numbers, both ends included, the smallest first. */
  listRange(org: string, environment: string, range: NumberRange): Promise<readonly SnapshotVerdict[]>;
  /** The time of each of these snapshots, which exist. */
  listTimes(org: string, environment: string, numbers: readonly number[]): Promise<readonly number[]>;
  /** The numbers whose time is before that of the number before them, in ascending order; usually none. */
  listStepsBack(org: string, environment: string): Promise<readonly number[]>;
  /**
   * The first number of the range whose time is not before this one; one more than its last if there is none. Times never
   * decrease within the range, so this is one search, wherever the database is.
   */
  findFirstNotBefore(org: string, environment: string, range: NumberRange, time: number): Promise<number>;

  findPending(reference: PendingReference): Promise<PendingSnapshot | undefined>;
  /** Those that have to be made before these environments are read: their own, after those of their members. */
  listPendingFor(org: string, environments: readonly string[]): Promise<readonly PendingSnapshot[]>;
  /** The next one after this one, in a circle through all organizations; undefined if none is left. */
  findNextPending(after: PendingReference | undefined): Promise<PendingSnapshot | undefined>;
}

/** Snapshots as they are written. */
export interface SnapshotWriter extends SnapshotReader {
  /** Inserts the snapshot as the latest of its environment. */
  insert(snapshot: StoredSnapshot, isStepBack: boolean): Promise<void>;
  replaceContent(org: string, reference: SnapshotReference, content: string): Promise<void>;
  /** Records which artifacts run since this snapshot, and which no longer do. */
  recordMovement(
    org: string,
    snapshot: SnapshotReference & { readonly from: number },
    movement: { readonly started: readonly string[]; readonly exited: readonly string[] },
  ): Promise<void>;

  /** Records that a snapshot is to be made; one that is pending already takes the later time, and stays forced. */
  savePending(pending: PendingSnapshot): Promise<void>;
  deletePending(reference: PendingReference): Promise<void>;
}
