import type { PolicyEvent, PolicyRecord, PolicyVersion } from '../domain/policy/policy-record.ts';

/** The latest version of a policy that is attached to an environment. */
export interface AttachedRules {
  readonly name: string;
  readonly version: number;
  /** The rules as they are stored, as JSON: equal texts are equal rules, so compiled ones can be kept by it. */
  readonly rules: string;
}

/** How much of a policy's history is read: the latest part of it. */
export interface PolicyHistoryLimits {
  readonly versions: number;
  readonly events: number;
  /** In characters, for the texts of all versions; the text of the latest version is always read. */
  readonly texts: number;
}

/** Policies as they are read. */
export interface PolicyReader {
  find(org: string, name: string, limits: PolicyHistoryLimits): Promise<PolicyRecord | undefined>;
  /** The number of the latest version; undefined if there is no such policy. */
  findLatestVersion(org: string, name: string): Promise<number | undefined>;
  /** Those of the names that exist. */
  listExisting(org: string, names: readonly string[]): Promise<readonly string[]>;
  /** The environments that the policy is attached to, by name. */
  listEnvironments(org: string, name: string): Promise<readonly string[]>;
  /** What is attached to an environment, by name. */
  listAttached(org: string, environment: string): Promise<readonly AttachedRules[]>;
}

/** A version of a policy as it is stored. */
export interface NewPolicyVersion extends PolicyVersion {
  readonly org: string;
  readonly name: string;
  /** Replaces the description of the policy; undefined leaves it, and is empty at first. */
  readonly description: string | undefined;
  readonly text: string;
  /** The rules as JSON, as they come back in `AttachedRules`. */
  readonly rules: string;
}

/** Policies as they are written. */
export interface PolicyWriter extends PolicyReader {
  /** Inserts the version as the latest one, and with version 1 the policy. */
  insertVersion(version: NewPolicyVersion): Promise<void>;
  /** Adds an event to the history of each of these policies, at its latest version. */
  addEvents(org: string, names: readonly string[], event: Omit<PolicyEvent, 'version'>): Promise<void>;
}
