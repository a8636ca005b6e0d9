import { reportArtifact } from '../../../contract/artifact-report.ts';
import { artifactNotFound, fingerprintAmbiguous, getArtifact, type Artifact } from '../../../contract/artifact.ts';
import type { QueryOf } from '../../../contract/endpoint.ts';
import { flowNotFound } from '../../../contract/errors.ts';
import { actorName } from '../../domain/access.ts';
import { newIdentifier } from '../../domain/identifier.ts';
import type { ArtifactDossier } from '../../domain/records.ts';
import { unixSeconds } from '../../../runtime/clock.ts';
import type { ArtifactQuery, Store } from '../../storage/storage.ts';
import { artifactAnswer } from './artifact-answer.ts';
import { keyHolder } from '../authentication/authentication.ts';
import { JsonText } from '../json-text.ts';
import { invalid, Refusal } from '../refusal.ts';
import { addRoute, type RouteHost } from '../route.ts';
import type { Services } from '../services.ts';

/** Operation 10 and its neighbour: look an artifact up, and report one. */
export function addArtifactRoutes(host: RouteHost, services: Services): void {
  const { store, links, now } = services;
  const written = new WeakMap<ArtifactDossier, JsonText<Artifact>>();
  const answerOf = (dossier: ArtifactDossier): JsonText<Artifact> => {
    const text = written.get(dossier) ?? new JsonText(artifactAnswer(dossier, links));
    written.set(dossier, text);
    return text;
  };

  addRoute(host, getArtifact, keyHolder(services, 'read'), async ({ parameters, query }) => {
    const dossier = await demandArtifact(store, {
      org: parameters.org,
      flow: parameters.flow_name,
      fingerprint: parameters.fingerprint,
      trail: query.trail,
      attestationId: demandReportId(query),
    });
    return { status: 200, body: answerOf(dossier) };
  });

  addRoute(host, reportArtifact, keyHolder(services, 'record'), async ({ caller, parameters, document }) => {
    const recorded = await store.recordArtifact({
      org: parameters.org,
      flow: parameters.flow_name,
      id: newIdentifier(services),
      createdAt: unixSeconds(now()),
      reportedBy: actorName(caller),
      report: document,
    });
    if (recorded === 'flow not found') throw new Refusal(flowNotFound);
    return { status: 201, body: { message: 'OK' } };
  });
}

/**
 * The id of the report that is asked for, by either of its names; undefined if none is.
 *
 * @throws Refusal if the two differ.
 */
export function demandReportId(query: QueryOf<typeof getArtifact>): string | undefined {
  const { attestation_id: id, artifact_id: other = id } = query;
  if (id !== undefined && id !== other) throw invalid(['query.artifact_id', 'must be the same as attestation_id']);
  return other;
}

/**
 * All that is known of the artifact.
 *
 * @throws Refusal where there is none, or more than one.
 */
export async function demandArtifact(store: Store, query: ArtifactQuery): Promise<ArtifactDossier> {
  const finding = await store.findArtifact(query);
  const { org, flow, fingerprint } = query;
  switch (finding.outcome) {
    case 'found':
      return finding.dossier;
    case 'flow not found':
      throw new Refusal(flowNotFound);
    case 'artifact not found':
      throw new Refusal(artifactNotFound, { values: { org, flow, fingerprint } });
    case 'ambiguous':
      throw new Refusal(fingerprintAmbiguous, { values: { org, flow, fingerprint, count: finding.count } });
  }
}
