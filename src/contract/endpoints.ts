import { getArtifact } from './artifact.ts';
import { listAttestations } from './attestation-list.ts';
import { attestSonar } from './attestation.ts';
import type { Endpoint } from './endpoint.ts';
import { createEnvironment, reportK8s } from './environment.ts';
import { createFlow } from './flow.ts';
import { getNotification } from './notification.ts';
import { attachPolicy, createPolicy, detachPolicy } from './policy.ts';
import { deleteServiceAccount, getServiceAccount, listServiceAccounts } from './service-account.ts';
import { diffEnvironments, listSnapshots } from './snapshot.ts';
import { setDefaultOrg } from './user.ts';

/** The endpoints of the interface, in its order. */
export const endpoints: readonly Endpoint[] = [
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

/** The endpoints that record evidence: a request that could not be delivered may also be sent later. */
export const evidenceEndpoints = [attestSonar] as const;

/** An endpoint that records evidence. */
export type EvidenceEndpoint = (typeof evidenceEndpoints)[number];
