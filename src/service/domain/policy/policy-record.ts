/** One version of a policy. */
export interface PolicyVersion {
  readonly version: number;
  readonly comment: string;
  readonly createdBy: string;
  readonly createdAt: number;
  /** The policy as it was uploaded; undefined for an old version of a policy with many long ones. */
  readonly text: string | undefined;
}

/** What can happen to a policy. */
export type PolicyEventType = 'policy_created' | 'policy_updated' | 'policy_attached' | 'policy_detached';

/** Something that happened to a policy. */
export interface PolicyEvent {
  readonly type: PolicyEventType;
  readonly timestamp: number;
  readonly user: string;
  /** The version that was then the latest. */
  readonly version: number;
  /** What it was attached to or detached from. */
  readonly environment?: string | undefined;
}

/** A policy with its history, oldest first. Every time is in Unix seconds, with a fraction. */
export interface PolicyRecord {
  readonly org: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastModifiedAt: number;
  /** The environments that it is attached to, by name. */
  readonly environments: readonly string[];
  readonly versions: readonly PolicyVersion[];
  readonly events: readonly PolicyEvent[];
}
