import { provenanceRequirement } from '../../domain/policy/provenance-requirement.ts';
import type { EnvironmentHead } from '../../storage/environments.ts';
import type { AttachedRules } from '../../storage/policies.ts';
import type { ReadTransaction } from '../../storage/storage.ts';

/** The rules that judge an environment: those of the attached policies, and its requirement of provenance. */
export async function listRules(
  { policies }: Pick<ReadTransaction, 'policies'>,
  { org, name, requiresProvenance }: EnvironmentHead,
): Promise<readonly AttachedRules[]> {
  const attached = await policies.listAttached(org, name);
  return requiresProvenance ? [...attached, provenanceRequirement] : attached;
}
