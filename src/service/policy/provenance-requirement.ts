import type { PolicyRules } from './policy-rules.ts';

const rules: Pick<PolicyRules, 'artifacts'> = { artifacts: { provenance: { required: true } } };

/**
 * The rules of an environment with `require_provenance` (interface, Environment), as those of a policy with its rules as
 * JSON. No policy can have the name, because it contains a colon.
 */
export const provenanceRequirement = {
  name: 'require_provenance: true',
  version: 1,
  rules: JSON.stringify(rules),
} as const;

/** What requires something, as reasons name it. */
export function describeRule(policy: string): string {
  return policy === provenanceRequirement.name ? policy : `policy ${policy}`;
}

/** A policy with its version, or the requirement of provenance, as pages name it. */
export function describePolicy(name: string, version: number): string {
  return name === provenanceRequirement.name ? name : `${name}, version ${version}`;
}
