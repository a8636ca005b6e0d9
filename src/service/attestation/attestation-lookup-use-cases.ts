import { evidenceName, listTargetArtifacts, toReportScopes } from './evidence-scope.ts';
import { maximumFoundAttestations } from '../../contract/attestation-lookup.ts';
import type { ListedAttestation } from './attestation.ts';
import type { Flow } from '../flow/flow.ts';
import { findRequiredType } from '../template/template.ts';
import type { RecordedAttestation } from './attestation-records.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { findAppliedTemplates } from '../template/template-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

/** A query for attestations by name, of a trail or of an artifact. */
export interface AttestationNameQuery {
  readonly org: string;
  readonly flow: string;
  /** `unit`, or `web.unit` for evidence about the artifact `web`. */
  readonly name: string;
  readonly of: { readonly trail: string } | { readonly fingerprint: string };
}

/** How many of the latest attestations are searched. */
const maximumSearched = 1000;

/** An attestation, and whether it satisfies the template that requires its name. */
export interface AttestationWithRequirement {
  readonly attestation: RecordedAttestation;
  /** The type that the template requires for its name, if it has another one. */
  readonly requiredType: string | undefined;
}

/** Finds the latest attestations of a name, newest first; undefined if the flow does not exist. */
export function findAttestationsByName(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  query: AttestationNameQuery,
): Promise<readonly AttestationWithRequirement[] | undefined> {
  const { org, flow, name } = query;
  return storage.read(async (transaction) => {
    const found = await transaction.flows.find(org, flow);
    if (found === undefined) return undefined;
    const wanted = evidenceName(name);
    const attestations: RecordedAttestation[] = [];
    for (const summary of await listCandidates(transaction, query)) {
      if (attestations.length === maximumFoundAttestations) break;
      if (evidenceName(summary.name) !== wanted) continue;
      const attestation = await transaction.attestations.findById(org, summary.id);
      if (attestation !== undefined && isAboutArtifact(attestation, name)) attestations.push(attestation);
    }
    return withRequirements(transaction, found, attestations);
  });
}

async function withRequirements(
  { trails, artifacts }: Pick<ReadTransaction, 'trails' | 'artifacts'>,
  flow: Flow,
  attestations: readonly RecordedAttestation[],
): Promise<readonly AttestationWithRequirement[]> {
  const findApplied = await findAppliedTemplates(
    { trails },
    flow,
    attestations.map(({ trail }) => trail),
  );
  return Promise.all(
    attestations.map(async (attestation) => {
      const { trail, document, type } = attestation;
      const { artifact_fingerprint: fingerprint } = document;
      const place = { org: flow.org, flow: flow.name, trail };
      const report = fingerprint === undefined ? undefined : await artifacts.findLatest(place, fingerprint);
      const targets = listTargetArtifacts(document);
      const subjects = report === undefined ? targets : [report.report.template_reference_name ?? ''];
      const evidence = { name: evidenceName(attestation.name), type, subjects };
      return { attestation, requiredType: findRequiredType(findApplied(trail).template, evidence) };
    }),
  );
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

/** If the wanted name contains an artifact (`web.unit`): whether the attestation is about this artifact. */
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
