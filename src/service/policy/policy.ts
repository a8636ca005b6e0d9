export interface PolicyVersion {
  readonly version: number;
  readonly comment: string;
  readonly createdBy: string;
  readonly createdAt: number;
  /** The policy as it was uploaded; undefined for old versions of a policy whose versions are long in total. */
  readonly text: string | undefined;
}

export const policyEventTypes = ['policy_created', 'policy_updated', 'policy_attached', 'policy_detached'] as const;

export interface PolicyEvent {
  readonly type: (typeof policyEventTypes)[number];
  readonly timestamp: number;
  readonly user: string;
  /** The latest version at that time. */
  readonly version: number;
  /** The environment that the policy was attached to or detached from. */
  readonly environment?: string | undefined;
}

/** A policy with its history, oldest first. All times are in Unix seconds, with a fraction. */
export interface PolicyRecord {
  readonly org: string;
  readonly name: string;
  readonly description: string;
  readonly isArchived: boolean;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastModifiedAt: number;
  /** The environments that it is attached to, sorted by name. */
  readonly environments: readonly string[];
  readonly versions: readonly PolicyVersion[];
  readonly events: readonly PolicyEvent[];
}
