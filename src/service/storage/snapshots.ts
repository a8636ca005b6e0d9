import type { RunningArtifact } from '../domain/environment/running-artifact.ts';
import type { EnvironmentJudgement } from '../domain/policy/judge-environment.ts';

/** One snapshot of one environment. */
export interface SnapshotReference {
  readonly environment: string;
  readonly number: number;
}

/** What a snapshot shows: what runs, or in a logical environment the snapshots of its members. */
export type SnapshotContent =
  { readonly artifacts: readonly RunningArtifact[] } | { readonly members: readonly SnapshotReference[] };

/** A snapshot as it is stored. */
export interface StoredSnapshot extends SnapshotReference {
  readonly org: string;
  readonly from: number;
  readonly judgement: EnvironmentJudgement;
  readonly content: SnapshotContent;
}

/** A snapshot without its content. */
export interface SnapshotVerdict extends SnapshotReference {
  readonly from: number;
  readonly compliant: boolean | null;
}

/** An environment whose next snapshot is still to be made. */
export interface PendingSnapshot {
  readonly org: string;
  readonly environment: string;
  /** The time of the latest change that touched it, in Unix seconds. */
  readonly since: number;
  /** Whether a snapshot is made even if the verdict stays the same. */
  readonly forced: boolean;
}

/** Snapshots as they are read. Those of an environment are numbered from 1 to the latest, without gaps. */
export interface SnapshotReader {
  /** Those of the snapshots that exist. */
  findAll(org: string, references: readonly SnapshotReference[]): Promise<readonly StoredSnapshot[]>;
  /** Those of the snapshots that exist; costs much less than reading them. */
  findVerdicts(org: string, references: readonly SnapshotReference[]): Promise<readonly SnapshotVerdict[]>;
  /** How many bytes the contents have together; costs much less than reading them. */
  sizeOf(org: string, references: readonly SnapshotReference[]): Promise<number>;
  /** Those of these numbers, both ends included, the smallest first. */
  listRange(org: string, environment: string, first: number, last: number): Promise<readonly SnapshotVerdict[]>;
  /** The numbers whose time is before that of the number before them, in ascending order; usually none. */
  listStepsBack(org: string, environment: string): Promise<readonly number[]>;
  /**
   * The first number, from `first` to `last`, whose time is not before this one; `last + 1` if there is none. Times never
   * decrease between the two, so this is one search, wherever the database is.
   */
  findFirstNotBefore(org: string, environment: string, first: number, last: number, time: number): Promise<number>;

  /** Those that have to be made before these environments are read: their own, after those of their members. */
  listPendingFor(org: string, environments: readonly string[]): Promise<readonly PendingSnapshot[]>;
  /** The next one after this one, in a circle through all organizations; undefined if none is left. */
  findNextPending(
    after: Pick<PendingSnapshot, 'org' | 'environment'> | undefined,
  ): Promise<PendingSnapshot | undefined>;
}

/** Snapshots as they are written. */
export interface SnapshotWriter extends SnapshotReader {
  /** Inserts the snapshot as the latest of its environment. */
  insert(snapshot: StoredSnapshot, isStepBack: boolean): Promise<void>;
  replaceContent(org: string, reference: SnapshotReference, content: SnapshotContent): Promise<void>;
  /** Notes which artifacts run since this snapshot, and which no longer do. */
  recordMovement(
    org: string,
    snapshot: SnapshotReference & { readonly from: number },
    movement: { readonly started: readonly string[]; readonly exited: readonly string[] },
  ): Promise<void>;

  /** Notes that snapshots are to be made; one that is noted already takes the later time, and stays forced. */
  savePending(pending: readonly PendingSnapshot[]): Promise<void>;
  deletePending(org: string, environment: string): Promise<void>;
}
