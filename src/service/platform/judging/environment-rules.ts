import type { AttachedRules } from '../../policy/policy-records.ts';
import { provenanceRequirement } from '../../policy/provenance-requirement.ts';
import type { EnvironmentHead } from '../../snapshot/snapshot.ts';
import type { ReadTransaction } from '../database/storage.ts';

/** The rules that judge an environment: those of the attached policies, and its requirement of provenance. */
export async function listRules(
  { policies }: Pick<ReadTransaction, 'policies'>,
  { org, name, requiresProvenance }: EnvironmentHead,
): Promise<readonly AttachedRules[]> {
  const attached = await policies.listAttached(org, name);
  return requiresProvenance ? [...attached, provenanceRequirement] : attached;
}
