import type { PolicyEvent, PolicyRecord, PolicyVersion } from '../domain/policy/policy-record.ts';
import type { RecordKey } from './remembered-answers.ts';

/** The latest version of a policy. */
export interface AttachedRules {
  readonly name: string;
  readonly version: number;
  /** The rules as JSON. Equal texts are equal rules, so the text can be the key of a cache. */
  readonly rules: string;
}

/** Limits for reading a policy's history; its latest part is read. */
export interface PolicyHistoryLimits {
  readonly versions: number;
  readonly events: number;
  /** In characters, for the texts of all versions together. The text of the latest version is always read. */
  readonly texts: number;
}

/** A version that was added by a request with an idempotency key. */
export interface KeyedPolicyVersion {
  /** The digest of the request. */
  readonly digest: string;
  readonly version: number;
  /** The policy as it was after the request. */
  readonly policy: PolicyRecord;
}

/** Reads policies. */
export interface PolicyReader {
  find(org: string, name: string, limits: PolicyHistoryLimits): Promise<PolicyRecord | undefined>;
  /** All policies of the organization, sorted by name. */
  list(org: string, limits: PolicyHistoryLimits): Promise<readonly PolicyRecord[]>;
  /** Finds the version that was added by the request with this idempotency key. */
  findByKey(org: string, key: string, limits: PolicyHistoryLimits): Promise<KeyedPolicyVersion | undefined>;
  /** The number of the latest version; undefined if there is no such policy. */
  findLatestVersion(org: string, name: string): Promise<number | undefined>;
  /** The existing policies among these names. */
  listExisting(org: string, names: readonly string[]): Promise<readonly string[]>;
  /** The environments that the policy is attached to, sorted by name. */
  listEnvironments(org: string, name: string): Promise<readonly string[]>;
  /** The policies that are attached to an environment, sorted by name. */
  listAttached(org: string, environment: string): Promise<readonly AttachedRules[]>;
  /** The existing policies among these names, in their order. */
  listLatest(org: string, names: readonly string[]): Promise<readonly AttachedRules[]>;
}

/** A policy version to store. */
export interface NewPolicyVersion extends PolicyVersion {
  readonly org: string;
  readonly name: string;
  /** The new description of the policy; undefined leaves it unchanged (empty for a new policy). */
  readonly description: string | undefined;
  readonly text: string;
  /** The rules as JSON, returned unchanged in `AttachedRules`. */
  readonly rules: string;
  /** Unique within the organization. */
  readonly requestKey?: RecordKey | undefined;
}

/** Reads and writes policies. */
export interface PolicyWriter extends PolicyReader {
  /**
   * Inserts the version as the latest one. Version 1 creates the policy. With a key, it also records the description and
   * the environments of the policy for `findByKey`.
   */
  insertVersion(version: NewPolicyVersion): Promise<void>;
  /** Adds an event to the history of each of these policies, at its latest version. */
  addEvents(org: string, names: readonly string[], event: Omit<PolicyEvent, 'version'>): Promise<void>;
}
