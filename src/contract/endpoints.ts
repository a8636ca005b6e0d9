import { reportArtifact } from './artifact-report.ts';
import { getArtifact } from './artifact.ts';
import { listAttestations } from './attestation-list.ts';
import { findArtifactAttestations, findAttestationById, findTrailAttestations } from './attestation-lookup.ts';
import { attestSonar } from './attestations/sonar.ts';
import { genericKind } from './attestations/generic.ts';
import { junitKind } from './attestations/junit.ts';
import { pullRequestKind } from './attestations/pull-request.ts';
import type { Endpoint, OperationName } from './endpoint.ts';
import { createEnvironment, reportK8s } from './environment.ts';
import { createFlow, getFlow, listFlows } from './flow.ts';
import { createFlowFromFile } from './flow-template.ts';
import { getNotification } from './notification.ts';
import { attachPolicy, createPolicy, detachPolicy, getPolicy } from './policy.ts';
import { deleteServiceAccount, getServiceAccount, listServiceAccounts } from './service-account.ts';
import { diffEnvironments, listSnapshots } from './snapshot.ts';
import { beginTrail } from './trail.ts';
import { getTrail, listTrails } from './trail-reading.ts';
import { setDefaultOrg } from './user.ts';

/** An endpoint of the interface. */
interface InterfaceEndpoint extends Endpoint {
  readonly operation: OperationName;
}

/** The endpoints of the interface, in its order. */
export const endpoints: readonly InterfaceEndpoint[] = [
  createFlow,
  createEnvironment,
  reportK8s,
  attachPolicy,
  detachPolicy,
  createPolicy,
  attestSonar,
  getNotification,
  listAttestations,
  getArtifact,
  diffEnvironments,
  listSnapshots,
  listServiceAccounts,
  getServiceAccount,
  deleteServiceAccount,
  setDefaultOrg,
];

/** The endpoints of the API that the interface does not have. */
export const addedEndpoints: readonly Endpoint[] = [
  createFlowFromFile,
  getFlow,
  listFlows,
  beginTrail,
  getTrail,
  listTrails,
  reportArtifact,
  genericKind.endpoint,
  junitKind.endpoint,
  pullRequestKind.endpoint,
  findTrailAttestations,
  findArtifactAttestations,
  findAttestationById,
  getPolicy,
];

/** All endpoints of the API: those of the interface first. */
export const apiEndpoints: readonly Endpoint[] = [...endpoints, ...addedEndpoints];
