import { operationNames, type OperationName } from '../contract/endpoint.ts';
import type { Operation } from './operation.ts';

/**
 * The operations that a step can run. Each is loaded when it is asked for: a step runs one, and every job pays for what a
 * step loads.
 */
export const operations: Readonly<Record<OperationName, () => Promise<Operation>>> = {
  'create-flow': async () => (await import(/* webpackMode: "eager" */ './create-flow.ts')).createFlow,
  'create-environment': async () =>
    (await import(/* webpackMode: "eager" */ './create-environment.ts')).createEnvironment,
  'report-k8s': async () => (await import(/* webpackMode: "eager" */ './report-k8s.ts')).reportK8s,
  'attach-policy': async () => (await import(/* webpackMode: "eager" */ './attach-policy.ts')).attachPolicy,
  'detach-policy': async () => (await import(/* webpackMode: "eager" */ './detach-policy.ts')).detachPolicy,
  'create-policy': async () => (await import(/* webpackMode: "eager" */ './create-policy.ts')).createPolicy,
  'attest-sonar': async () => (await import(/* webpackMode: "eager" */ './attest-sonar.ts')).attestSonar,
  'get-notification': async () => (await import(/* webpackMode: "eager" */ './get-notification.ts')).getNotification,
  'list-attestations': async () => (await import(/* webpackMode: "eager" */ './list-attestations.ts')).listAttestations,
  'get-artifact': async () => (await import(/* webpackMode: "eager" */ './get-artifact.ts')).getArtifact,
  'diff-environments': async () => (await import(/* webpackMode: "eager" */ './diff-environments.ts')).diffEnvironments,
  'list-snapshots': async () => (await import(/* webpackMode: "eager" */ './list-snapshots.ts')).listSnapshots,
  'list-service-accounts': async () =>
    (await import(/* webpackMode: "eager" */ './list-service-accounts.ts')).listServiceAccounts,
  'get-service-account': async () =>
    (await import(/* webpackMode: "eager" */ './get-service-account.ts')).getServiceAccount,
  'delete-service-account': async () =>
    (await import(/* webpackMode: "eager" */ './delete-service-account.ts')).deleteServiceAccount,
  'set-default-org': async () => (await import(/* webpackMode: "eager" */ './set-default-org.ts')).setDefaultOrg,
};

/** The name of an operation that a step can run. */
export type RunnableName = OperationName;

/** The names of all operations that a step can run, in the interface's order. */
export const runnableNames: readonly RunnableName[] = operationNames;
