import { reportArtifact } from '../../src/contract/artifact-report.ts';
import { assertArtifact } from '../../src/contract/artifact-assertion.ts';
import {
  findLatestCommit,
  listArtifacts,
  listArtifactsOfCommit,
  searchArtifacts,
} from '../../src/contract/artifact-lists.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { listAttestations } from '../../src/contract/attestation-list.ts';
import {
  findArtifactAttestations,
  findAttestationById,
  findTrailAttestations,
} from '../../src/contract/attestation-lookup.ts';
import { genericKind } from '../../src/contract/attestations/generic.ts';
import { junitKind } from '../../src/contract/attestations/junit.ts';
import { pullRequestKind } from '../../src/contract/attestations/pull-request.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { getEnvironment, listEnvironments } from '../../src/contract/environment-list.ts';
import { listEnvironmentEvents } from '../../src/contract/environment-log.ts';
import { reportKinds } from '../../src/contract/environment-report.ts';
import { createEnvironment, reportK8s } from '../../src/contract/environment.ts';
import { createFlow, getFlow, listFlows } from '../../src/contract/flow.ts';
import { createFlowFromFile } from '../../src/contract/flow-template.ts';
import { getNotification } from '../../src/contract/notification.ts';
import { listPolicies } from '../../src/contract/policy-list.ts';
import { attachPolicy, createPolicy, detachPolicy, getPolicy } from '../../src/contract/policy.ts';
import { deleteServiceAccount, getServiceAccount, listServiceAccounts } from '../../src/contract/service-account.ts';
import { getSnapshot } from '../../src/contract/snapshot-details.ts';
import { diffEnvironments, listSnapshots } from '../../src/contract/snapshot.ts';
import { beginTrail } from '../../src/contract/trail.ts';
import { getTrail, listTrails } from '../../src/contract/trail-reading.ts';
import { setDefaultOrg } from '../../src/contract/user.ts';
import { roles, type Role } from '../../src/contract/role.ts';
import { listMemberKeys, listServiceAccountKeys } from '../../src/contract/api-key.ts';
import { listAuditEvents } from '../../src/contract/audit-log.ts';
import { listLoginKeys } from '../../src/contract/login-key.ts';
import { listLoginRules, saveLoginRule } from '../../src/contract/login-rule.ts';
import { listMembers, saveMember } from '../../src/contract/member.ts';
import {
  inspectNotification,
  listNotifications,
  updateNotification,
} from '../../src/contract/notification-administration.ts';
import { updateServiceAccount } from '../../src/contract/service-account-administration.ts';
import type { Call } from './service-call.ts';
import {
  attestationForm,
  commitOf,
  fingerprintOf,
  sampleArtifact,
  sampleAttestation,
  sampleFlow,
} from './service-samples.ts';

/** A request that succeeds for an administrator of the organization. */
export interface Sample {
  readonly endpoint: Endpoint;
  /** The roles that may send it. */
  readonly allowed: readonly Role[];
  readonly request: (org: string) => Call;
}

const everyone = roles;
const recorders: readonly Role[] = ['admin', 'member'];
const reporters: readonly Role[] = ['admin', 'member', 'snapshotter'];

const environment = { name: 'prod', type: 'K8S' };
const pods = [{ creationTimestamp: 1, digests: { web: fingerprintOf('abcdef') }, namespace: 'web', podName: 'web-1' }];
const policyNames = { policy_names: ['provenance'] };

/** A form with a JSON part and a template file. */
function templateForm(document: object): FormData {
  const form = new FormData();
  form.set('data_json', JSON.stringify(document));
  form.set('template_file', new Blob(['version: 1\n']), 'template.yml');
  return form;
}

function policyForm(): FormData {
  const form = new FormData();
  form.set('payload', JSON.stringify({ name: 'provenance', type: 'env' }));
  const yaml = '_schema: https://compliance.example.com/schemas/policy/environment/v1\n';
  form.set('policy_file.0', new Blob([yaml]), 'policy.yaml');
  return form;
}

/** The kinds of evidence beyond Sonar, with the smallest document of each. */
const evidence = [
  { kind: genericKind, document: {} },
  { kind: junitKind, document: { junit_results: [] } },
  { kind: pullRequestKind, document: { git_provider: 'github', pull_requests: [] } },
];

function evidenceForm(document: unknown): FormData {
  const form = new FormData();
  form.set('data_json', JSON.stringify(document));
  return form;
}

const admins: readonly Role[] = ['admin'];
const accounts = (org: string): string => `/service-accounts/${org}`;
const notifications = (org: string): string => `/organizations/${org}/environments_notifications`;
/** What admins do in their organization, as far as it can be repeated. */
const administration: readonly Sample[] = [
  {
    endpoint: updateServiceAccount,
    allowed: admins,
    request: (org) => ({ method: 'PATCH', path: `${accounts(org)}/ci`, json: { description: 'x' } }),
  },
  {
    endpoint: listServiceAccountKeys,
    allowed: admins,
    request: (org) => ({ path: `${accounts(org)}/ci/api-keys` }),
  },
  {
    endpoint: saveLoginRule,
    allowed: admins,
    request: (org) => ({
      method: 'PUT',
      path: `/organizations/${org}/login-rules/deploy`,
      json: {
        ...{ repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'] },
        role: 'member',
      },
    }),
  },
  { endpoint: listLoginRules, allowed: admins, request: (org) => ({ path: `/organizations/${org}/login-rules` }) },
  { endpoint: listLoginKeys, allowed: admins, request: (org) => ({ path: `/organizations/${org}/login-keys` }) },
  { endpoint: listAuditEvents, allowed: admins, request: (org) => ({ path: `/organizations/${org}/audit-log` }) },
  { endpoint: listMembers, allowed: admins, request: (org) => ({ path: `/organizations/${org}/members` }) },
  {
    endpoint: saveMember,
    allowed: admins,
    request: (org) => ({ method: 'PUT', path: `/organizations/${org}/members/walker`, json: { role: 'reader' } }),
  },
  {
    endpoint: listMemberKeys,
    allowed: admins,
    request: (org) => ({ path: `/organizations/${org}/members/walker/api-keys` }),
  },
  { endpoint: listNotifications, allowed: everyone, request: (org) => ({ path: notifications(org) }) },
  {
    endpoint: inspectNotification,
    allowed: admins,
    request: (org) => ({ path: `${notifications(org)}/1/deliveries` }),
  },
  {
    endpoint: updateNotification,
    allowed: admins,
    request: (org) => ({ method: 'PATCH', path: `${notifications(org)}/1`, json: { name: 'Changed' } }),
  },
];

/**
 * Every endpoint of the service that needs the key of an organization, with a request that succeeds after those before
 * it. Those that delete something come last.
 */
export const everyEndpoint: readonly Sample[] = [
  {
    endpoint: createFlow,
    allowed: recorders,
    request: (org) => ({ method: 'PUT', path: `/flows/${org}`, json: sampleFlow() }),
  },
  {
    endpoint: getFlow,
    allowed: everyone,
    request: (org) => ({ path: `/flows/${org}/web` }),
  },
  {
    endpoint: createFlowFromFile,
    allowed: recorders,
    request: (org) => ({
      method: 'PUT',
      path: `/flows/${org}/template_file`,
      form: templateForm({ name: 'filed', description: '' }),
    }),
  },
  {
    endpoint: listFlows,
    allowed: everyone,
    request: (org) => ({ path: `/flows/${org}` }),
  },
  {
    endpoint: beginTrail,
    allowed: recorders,
    request: (org) => ({ method: 'PUT', path: `/trails/${org}/filed`, form: templateForm({ name: 'begun' }) }),
  },
  {
    endpoint: getTrail,
    allowed: everyone,
    request: (org) => ({ path: `/trails/${org}/filed/begun` }),
  },
  {
    endpoint: listTrails,
    allowed: everyone,
    request: (org) => ({ path: `/trails/${org}` }),
  },
  {
    endpoint: findTrailAttestations,
    allowed: everyone,
    request: (org) => ({ path: `/attestations/${org}/filed/trail/begun/unit` }),
  },
  {
    endpoint: findArtifactAttestations,
    allowed: everyone,
    request: (org) => ({ path: `/attestations/${org}/filed/artifact/${fingerprintOf('abcdef')}/unit` }),
  },
  {
    endpoint: findAttestationById,
    allowed: everyone,
    request: (org) => ({ path: `/attestations/${org}?attestation_id=00000000-0000-0000-0000-00000000` }),
  },
  {
    endpoint: attestSonar,
    allowed: recorders,
    request: (org) => ({
      method: 'POST',
      path: `/attestations/${org}/web/trail/main/sonar`,
      form: attestationForm(sampleAttestation('OK'), { content: 'a file' }),
    }),
  },
  ...evidence.map(({ kind, document }): Sample => ({
    endpoint: kind.endpoint,
    allowed: recorders,
    request: (org) => ({
      method: 'POST',
      path: `/attestations/${org}/web/trail/main/${kind.type}`,
      form: evidenceForm({ attestation_name: kind.type, ...document }),
    }),
  })),
  {
    endpoint: reportArtifact,
    allowed: recorders,
    request: (org) => ({ method: 'POST', path: `/artifacts/${org}/web`, json: sampleArtifact() }),
  },
  {
    endpoint: getArtifact,
    allowed: everyone,
    request: (org) => ({ path: `/artifacts/${org}/web/fingerprint/${fingerprintOf('abcdef')}` }),
  },
  {
    endpoint: findLatestCommit,
    allowed: everyone,
    request: (org) => ({ path: `/artifacts/${org}/web/${fingerprintOf('abcdef')}/latest_commit` }),
  },
  {
    endpoint: listArtifactsOfCommit,
    allowed: everyone,
    request: (org) => ({ path: `/artifacts/${org}/web/commit_sha/${commitOf('1')}` }),
  },
  {
    endpoint: listArtifacts,
    allowed: everyone,
    request: (org) => ({ path: `/artifacts/${org}?flow_name=web` }),
  },
  {
    endpoint: searchArtifacts,
    allowed: everyone,
    request: (org) => ({ path: `/search/${org}/sha/${fingerprintOf('abcdef')}` }),
  },
  {
    endpoint: assertArtifact,
    allowed: everyone,
    request: (org) => ({ path: `/asserts/${org}/fingerprint/${fingerprintOf('abcdef')}` }),
  },
  {
    endpoint: listAttestations,
    allowed: everyone,
    request: (org) => ({ path: `/attestations/${org}/web` }),
  },
  {
    endpoint: createEnvironment,
    allowed: reporters,
    request: (org) => ({ method: 'PUT', path: `/environments/${org}`, json: environment }),
  },
  {
    endpoint: reportK8s,
    allowed: reporters,
    request: (org) => ({ method: 'PUT', path: `/environments/${org}/prod/report/K8S`, json: { artifacts: pods } }),
  },
  {
    endpoint: createPolicy,
    allowed: recorders,
    request: (org) => ({ method: 'PUT', path: `/policies/${org}`, form: policyForm() }),
  },
  {
    endpoint: getPolicy,
    allowed: everyone,
    request: (org) => ({ path: `/policies/${org}/provenance` }),
  },
  {
    endpoint: attachPolicy,
    allowed: recorders,
    request: (org) => ({ method: 'POST', path: `/environments/${org}/prod/policies`, json: policyNames }),
  },
  {
    endpoint: diffEnvironments,
    allowed: everyone,
    request: (org) => ({ path: `/env-diff/${org}?snappish1=prod&snappish2=prod` }),
  },
  {
    endpoint: listSnapshots,
    allowed: everyone,
    request: (org) => ({ path: `/snapshots/${org}/prod` }),
  },
  ...reportKinds.map(({ kind, endpoint }): Sample => {
    const path = `report/${kind}`;
    return {
      endpoint,
      allowed: reporters,
      request: (org) => ({ method: 'PUT', path: `/environments/${org}/of-${kind}/${path}`, json: { artifacts: [] } }),
    };
  }),
  { endpoint: listPolicies, allowed: everyone, request: (org) => ({ path: `/policies/${org}` }) },
  { endpoint: listEnvironments, allowed: everyone, request: (org) => ({ path: `/environments/${org}` }) },
  { endpoint: getEnvironment, allowed: everyone, request: (org) => ({ path: `/environments/${org}/prod` }) },
  {
    endpoint: listEnvironmentEvents,
    allowed: everyone,
    request: (org) => ({ path: `/environments/${org}/prod/events` }),
  },
  { endpoint: getSnapshot, allowed: everyone, request: (org) => ({ path: `/snapshots/${org}/prod/-1` }) },
  {
    endpoint: getNotification,
    allowed: everyone,
    request: (org) => ({ path: `/organizations/${org}/environments_notifications/1` }),
  },
  {
    endpoint: listServiceAccounts,
    allowed: reporters,
    request: (org) => ({ path: `/service-accounts/${org}` }),
  },
  {
    endpoint: getServiceAccount,
    allowed: reporters,
    request: (org) => ({ path: `/service-accounts/${org}/ci` }),
  },
  ...administration,
  {
    endpoint: setDefaultOrg,
    allowed: everyone,
    request: (org) => ({ method: 'PUT', path: `/user/${org}` }),
  },
  {
    endpoint: detachPolicy,
    allowed: recorders,
    request: (org) => ({ method: 'DELETE', path: `/environments/${org}/prod/policies`, json: policyNames }),
  },
  {
    endpoint: deleteServiceAccount,
    allowed: ['admin'],
    request: (org) => ({ method: 'DELETE', path: `/service-accounts/${org}/ci` }),
  },
];
