import type { OperationName } from '../contract/endpoint.ts';
import type { Operation } from './operation.ts';

/**
 * The operations that a step can run. Each is loaded when it is asked for: a step runs one, and every job pays for what a
 * step loads. The gate is in the first file of the bundle, because a second file takes a millisecond; attest-sonar has one
 * of its own; the others share one, which keeps what they have in common from being there many times.
 */
export const operations: Readonly<Record<OperationName, () => Promise<Operation>>> = {
  'create-flow': async () => (await import(/* webpackChunkName: 'others' */ './create-flow.ts')).createFlow,
  'create-environment': async () =>
    (await import(/* webpackChunkName: 'others' */ './create-environment.ts')).createEnvironment,
  'report-k8s': async () => (await import(/* webpackChunkName: 'others' */ './report-k8s.ts')).reportK8s,
  'attach-policy': async () => (await import(/* webpackChunkName: 'others' */ './attach-policy.ts')).attachPolicy,
  'detach-policy': async () => (await import(/* webpackChunkName: 'others' */ './detach-policy.ts')).detachPolicy,
  'create-policy': async () => (await import(/* webpackChunkName: 'others' */ './create-policy/index.ts')).createPolicy,
  'attest-sonar': async () => (await import('./attest-sonar/index.ts')).attestSonar,
  'get-notification': async () =>
    (await import(/* webpackChunkName: 'others' */ './get-notification.ts')).getNotification,
  'list-attestations': async () =>
    (await import(/* webpackChunkName: 'others' */ './list-attestations/index.ts')).listAttestations,
  'get-artifact': async () => (await import(/* webpackMode: "eager" */ './get-artifact/index.ts')).getArtifact,
  'diff-environments': async () =>
    (await import(/* webpackChunkName: 'others' */ './diff-environments.ts')).diffEnvironments,
  'list-snapshots': async () =>
    (await import(/* webpackChunkName: 'others' */ './list-snapshots/index.ts')).listSnapshots,
  'list-service-accounts': async () =>
    (await import(/* webpackChunkName: 'others' */ './list-service-accounts.ts')).listServiceAccounts,
  'get-service-account': async () =>
    (await import(/* webpackChunkName: 'others' */ './get-service-account.ts')).getServiceAccount,
  'delete-service-account': async () =>
    (await import(/* webpackChunkName: 'others' */ './delete-service-account.ts')).deleteServiceAccount,
  'set-default-org': async () => (await import(/* webpackChunkName: 'others' */ './set-default-org.ts')).setDefaultOrg,
};
