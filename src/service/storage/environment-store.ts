import type { EnvironmentKind } from '../../contract/environment.ts';
import type { SnapshotReading, SnapshotSelector } from '../../contract/snapshot-expression.ts';
import type { RunningArtifact } from '../domain/environment/running-artifact.ts';
import type { Environment, Snapshot, SnapshotSummary } from '../domain/environment/snapshot.ts';
import type { Provenance } from '../domain/environment/snapshot-events.ts';
import type { Page } from '../domain/environment/snapshot-series.ts';

/** What an environment is created with, or what of it is changed; what is undefined stays, or is empty. */
export interface EnvironmentToSave {
  readonly org: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  readonly description?: string | undefined;
  /** Replaces the members of a logical environment. */
  readonly members?: readonly string[] | undefined;
  /** Replaces the policies that are attached. */
  readonly policies?: readonly string[] | undefined;
  /** Who asks for it. */
  readonly user: string;
}

/** What became of an environment that was to be saved. Nothing is changed unless it was saved. */
export type EnvironmentSaving =
  | { readonly outcome: 'saved' }
  /** It exists and is of this kind. */
  | { readonly outcome: 'of another kind'; readonly kind: EnvironmentKind }
  /** There is no environment of that name, or it is a logical one and can have no place in another. */
  | { readonly outcome: 'member not found' | 'member is logical'; readonly member: string }
  | { readonly outcome: 'policy not found'; readonly policy: string };

/** What an environment says is running. */
export interface EnvironmentReport {
  readonly org: string;
  readonly environment: string;
  readonly kind: EnvironmentKind;
  readonly artifacts: readonly RunningArtifact[];
}

/** What became of a report. */
export type ReportOutcome =
  | { readonly outcome: 'snapshot made' | 'nothing new' | 'environment not found' }
  | { readonly outcome: 'of another kind'; readonly kind: EnvironmentKind };

/** Policies to attach to an environment or to detach from it. */
export interface PolicyChange {
  readonly org: string;
  readonly environment: string;
  readonly policies: readonly string[];
  /** Who asks for it. */
  readonly user: string;
}

/** Which snapshots are asked for. */
export interface SnapshotListQuery {
  readonly org: string;
  readonly environment: string;
  readonly interval?: { readonly from: SnapshotSelector; readonly to: SnapshotSelector } | undefined;
  readonly page: Page;
  /** In Unix seconds; what `@{2.hours.ago}` counts from. */
  readonly now: number;
}

/** What an expression selects. */
export type SnapshotFinding =
  | { readonly outcome: 'found'; readonly snapshot: Snapshot }
  | { readonly outcome: 'environment not found' }
  /** A logical environment whose members show more than can be put together in one answer. */
  | { readonly outcome: 'too large' }
  | { readonly outcome: 'no such snapshot'; readonly environment: string; readonly latest: number };

/** Where the environments and their snapshots are kept; see `Store` for what every method promises. */
export interface EnvironmentStore {
  saveEnvironment(environment: EnvironmentToSave, savedAt: number): Promise<EnvironmentSaving>;
  findEnvironment(org: string, name: string): Promise<Environment | undefined>;

  /**
   * Makes the next snapshot where other artifacts run than before; where the same do, the current snapshot shows the
   * instances of this report from now on.
   */
  recordReport(report: EnvironmentReport, reportedAt: number): Promise<ReportOutcome>;

  /** Makes a snapshot where one of the policies was not attached before, and something was reported. */
  attachPolicies(change: PolicyChange, attachedAt: number): Promise<'attached' | 'not found' | 'too many'>;
  /** Detaches all of the policies or, where one is not attached, none. Makes a snapshot as attaching does. */
  detachPolicies(change: PolicyChange, detachedAt: number): Promise<'detached' | 'not found'>;

  /** The snapshots of a page; undefined where there is no such environment. */
  listSnapshots(query: SnapshotListQuery): Promise<readonly SnapshotSummary[] | undefined>;
  /** The snapshot of the first reading whose environment exists. */
  findSnapshot(org: string, readings: readonly SnapshotReading[], now: number): Promise<SnapshotFinding>;

  /** What the builds of artifacts said last, by fingerprint; without those that no flow knows. */
  findProvenance(org: string, fingerprints: readonly string[]): Promise<ReadonlyMap<string, Provenance>>;
}
