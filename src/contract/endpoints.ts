import { getArtifact } from './artifact.ts';
import { listAttestations } from './attestation-list.ts';
import { attestSonar } from './attestations/sonar.ts';
import type { Endpoint, OperationName } from './endpoint.ts';
import { createEnvironment, reportK8s } from './environment.ts';
import { createFlow } from './flow.ts';
import { getNotification } from './notification.ts';
import { attachPolicy, createPolicy, detachPolicy } from './policy.ts';
import { deleteServiceAccount, getServiceAccount, listServiceAccounts } from './service-account.ts';
import { diffEnvironments, listSnapshots } from './snapshot.ts';
import { setDefaultOrg } from './user.ts';

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
