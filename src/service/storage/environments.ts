import type { EnvironmentKind } from '../../contract/environment.ts';
import type { Environment, EnvironmentOverview } from '../domain/environment/snapshot.ts';

/** The core fields of an environment. */
export interface EnvironmentHead {
  readonly org: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  /** The number of its latest snapshot; 0 if it has none. */
  readonly latest: number;
  /** Whether it requires provenance of everything that runs in it, besides its policies. */
  readonly requiresProvenance: boolean;
}

/** The artifacts that new evidence affects: one artifact, those of a trail, or those of a flow. */
export type EvidenceSubject = { readonly org: string } & (
  { readonly fingerprint: string } | { readonly flow: string; readonly trail?: string }
);

/**
 * For trails of up to this many artifacts, `listRunning` looks each artifact up among the running ones. For larger
 * trails, it looks each running artifact up in the trail.
 */
export const smallTrailSize = 100;

/** Reads environments. */
export interface EnvironmentReader {
  find(org: string, name: string): Promise<Environment | undefined>;
  findOverview(org: string, name: string): Promise<EnvironmentOverview | undefined>;
  /** All environments of the organization, sorted by name. */
  listOverviews(org: string): Promise<readonly EnvironmentOverview[]>;
  findHead(org: string, name: string): Promise<EnvironmentHead | undefined>;
  /** The existing environments among these names, by name. */
  findHeads(org: string, names: readonly string[]): Promise<ReadonlyMap<string, EnvironmentHead>>;
  /** The members of a logical environment that have a snapshot, sorted by name. */
  listMemberHeads(org: string, name: string): Promise<readonly EnvironmentHead[]>;
  /** The policies that are attached to an environment, sorted by name. */
  listPolicies(org: string, name: string): Promise<readonly string[]>;
  /** The logical environments that include any of these, sorted by name, without duplicates. */
  listIncluding(org: string, names: readonly string[]): Promise<readonly string[]>;
  /** Whether any environment of the organization has a policy attached or requires provenance. */
  hasPolicies(org: string): Promise<boolean>;
  /** The environments that currently run an affected artifact, without duplicates. */
  listRunning(subject: EvidenceSubject): Promise<readonly string[]>;
}

/** Reads and writes environments. */
export interface EnvironmentWriter extends EnvironmentReader {
  /**
   * Inserts the environment, or replaces its description, its requirement of provenance and its time of modification.
   * Its organization must exist.
   */
  save(environment: Omit<Environment, 'members' | 'policies' | 'latest'>): Promise<void>;
  /** Records when the environment, which must exist, was last reported. */
  recordReport(org: string, name: string, at: number): Promise<void>;
  replaceMembers(org: string, name: string, members: readonly string[]): Promise<void>;
  /** All policies must exist, and none must be attached already. */
  attachPolicies(org: string, name: string, policies: readonly string[]): Promise<void>;
  detachPolicies(org: string, name: string, policies: readonly string[]): Promise<void>;
}
