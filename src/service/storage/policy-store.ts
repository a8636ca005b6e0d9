import type { PolicyRecord } from '../domain/policy/policy-record.ts';
import type { PolicyRules } from '../domain/policy/rules.ts';

/** A new version of a policy. */
export interface PolicyToSave {
  readonly org: string;
  readonly name: string;
  /** Stays as it was, or is empty, where undefined. */
  readonly description?: string | undefined;
  /** What is new. */
  readonly comment: string;
  /** The policy as it was uploaded, and the rules that were read from it. */
  readonly text: string;
  readonly rules: PolicyRules;
  readonly user: string;
}

/** Where policies are kept; see `Store` for what every method promises. */
export interface PolicyStore {
  /** Adds a version, the first or the next, and judges every environment anew that the policy is attached to. */
  savePolicy(
    policy: PolicyToSave,
    savedAt: number,
  ): Promise<{ readonly outcome: 'created' | 'updated'; readonly policy: PolicyRecord }>;
  findPolicy(org: string, name: string): Promise<PolicyRecord | undefined>;
}

/** How many versions, and how many events, of a policy are told at most: the latest. */
export const longestPolicyHistory = 1000;

/** How much of the texts of its versions is told with a policy at most, in characters; the latest version's always is. */
export const longestPolicyTexts = 1024 * 1024;
