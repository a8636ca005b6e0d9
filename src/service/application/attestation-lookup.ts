import { evidenceName, listTargetArtifacts, toReportScopes } from '../domain/evidence-scope.ts';
import { maximumFoundAttestations } from '../../contract/attestation-lookup.ts';
import type { ListedAttestation } from '../domain/records.ts';
import type { RecordedAttestation } from '../storage/attestation-series.ts';
import type { ReadTransaction } from '../storage/storage.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

/** A query for attestations by name, of a trail or of an artifact. */
export interface AttestationNameQuery {
  readonly org: string;
  readonly flow: string;
  /** `unit`, or `web.unit` for what is about `web`. */
  readonly name: string;
  readonly of: { readonly trail: string } | { readonly fingerprint: string };
}

/** How many of the latest attestations are searched. */
const maximumSearched = 1000;

/** Finds the latest attestations of a name, newest first; undefined if the flow does not exist. */
export function findAttestationsByName(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  query: AttestationNameQuery,
): Promise<readonly RecordedAttestation[] | undefined> {
  const { org, flow, name } = query;
  return storage.read(async (transaction) => {
    if (!(await transaction.flows.exists(org, flow))) return undefined;
    const wanted = evidenceName(name);
    const found: RecordedAttestation[] = [];
    for (const summary of await listCandidates(transaction, query)) {
      if (found.length === maximumFoundAttestations) break;
      if (evidenceName(summary.name) !== wanted) continue;
      const attestation = await transaction.attestations.findById(org, summary.id);
      if (attestation !== undefined && isAboutArtifact(attestation, name)) found.push(attestation);
    }
    return found;
  });
}

async function listCandidates(
  { artifacts, attestations }: Pick<ReadTransaction, 'artifacts' | 'attestations'>,
  { org, flow, of }: AttestationNameQuery,
): Promise<readonly ListedAttestation[]> {
  if ('trail' in of) return attestations.listByTrail({ org, flow }, of.trail, maximumSearched);
  const report = await artifacts.findLatest({ org, flow }, of.fingerprint);
  if (report === undefined) return [];
  return attestations.listBound({ org, flow }, toReportScopes(report), maximumSearched);
}

/** Whether an attestation with the same evidence name is about the artifact in the wanted name, if it has one. */
function isAboutArtifact({ document }: RecordedAttestation, wanted: string): boolean {
  const [artifact] = listTargetArtifacts({ attestation_name: wanted });
  return artifact === undefined || listTargetArtifacts(document).includes(artifact);
}

/** Finds an attestation by its id; undefined if the organization has none. */
export function findAttestationById(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, id }: { readonly org: string; readonly id: string },
): Promise<RecordedAttestation | undefined> {
  return storage.read(({ attestations }) => attestations.findById(org, id));
}
