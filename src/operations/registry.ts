import type { Operation } from './operation.ts';
import type { AnyOperationName } from './operation-names.ts';

/**
 * Loads each operation on demand: a step runs one, and loading takes time in every job. In the bundle, get-artifact is
 * in the main file, because another file takes a millisecond to load. The others share a few files, so that their common
 * code exists once. Those that are about a commit are in two, `attest` and `attest-others`, so that attest-sonar loads
 * less.
 */
export const operations: Readonly<Record<AnyOperationName, () => Promise<Operation>>> = {
  'create-flow': async () => (await import(/* webpackChunkName: 'others' */ './create-flow.ts')).createFlow,
  'create-environment': async () =>
    (await import(/* webpackChunkName: 'others' */ './create-environment.ts')).createEnvironment,
  'report-k8s': async () => (await import(/* webpackChunkName: 'others' */ './report-k8s.ts')).reportK8s,
  'report-environment': async () =>
    (await import(/* webpackChunkName: 'others' */ './report-environment.ts')).reportEnvironment,
  'attach-policy': async () =>
    (await import(/* webpackChunkName: 'others' */ './attach-detach-policy.ts')).attachPolicy,
  'detach-policy': async () =>
    (await import(/* webpackChunkName: 'others' */ './attach-detach-policy.ts')).detachPolicy,
  'create-policy': async () => (await import(/* webpackChunkName: 'others' */ './create-policy.ts')).createPolicy,
  'attest-sonar': async () => (await import(/* webpackChunkName: 'attest' */ './attest-sonar/index.ts')).attestSonar,
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
  'begin-trail': async () => (await import(/* webpackChunkName: 'attest' */ './begin-trail.ts')).beginTrail,
  'attest-artifact': async () =>
    (await import(/* webpackChunkName: 'attest' */ './attest-artifact/index.ts')).attestArtifact,
  'attest-generic': async () => (await import(/* webpackChunkName: 'attest' */ './attest-generic.ts')).attestGeneric,
  'attest-junit': async () => (await import(/* webpackChunkName: 'attest-others' */ './attest-junit.ts')).attestJunit,
  'attest-pull-request': async () =>
    (await import(/* webpackChunkName: 'attest-others' */ './attest-pull-request.ts')).attestPullRequest,
  'attest-scan': async () => (await import(/* webpackChunkName: 'attest-others' */ './attest-scan.ts')).attestScan,
  'attest-sbom': async () => (await import(/* webpackChunkName: 'attest-others' */ './attest-sbom.ts')).attestSbom,
  'attest-issue': async () => (await import(/* webpackChunkName: 'attest-others' */ './attest-issue.ts')).attestIssue,
  'attest-custom': async () =>
    (await import(/* webpackChunkName: 'attest-others' */ './attest-custom.ts')).attestCustom,
  'assert-artifact': async () =>
    (await import(/* webpackChunkName: 'others' */ './assert-artifact/index.ts')).assertArtifact,
  'assert-trail': async () => (await import(/* webpackChunkName: 'attest' */ './assert-trail/index.ts')).assertTrail,
  'audit-branch': async () =>
    (await import(/* webpackChunkName: 'attest-others' */ './audit-branch/index.ts')).auditBranch,
  replay: async () => (await import(/* webpackChunkName: 'replay' */ './replay/index.ts')).replay,
};
