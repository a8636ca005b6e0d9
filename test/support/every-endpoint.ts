import { allowArtifact, disallowArtifact, listAllowedArtifacts } from '../../src/contract/allow-list.ts';
import { listMemberKeys, listServiceAccountKeys } from '../../src/contract/api-key.ts';
import { archiveEnvironment, archiveFlow, archivePolicy } from '../../src/contract/archive.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { assertArtifact } from '../../src/contract/artifact-assertion.ts';
import {
  findLatestCommit,
  listArtifacts,
  listArtifactsOfCommit,
  searchArtifacts,
} from '../../src/contract/artifact-lists.ts';
import { reportArtifact } from '../../src/contract/artifact-report.ts';
import { listAttestations } from '../../src/contract/attestation-list.ts';
import {
  findArtifactAttestations,
  findAttestationById,
  findTrailAttestations,
} from '../../src/contract/attestation-lookup.ts';
import { overrideAttestation } from '../../src/contract/attestation-override.ts';
import { customKind } from '../../src/contract/attestations/custom.ts';
import { genericKind } from '../../src/contract/attestations/generic.ts';
import { jiraKind } from '../../src/contract/attestations/jira.ts';
import { junitKind } from '../../src/contract/attestations/junit.ts';
import { pullRequestKind } from '../../src/contract/attestations/pull-request.ts';
import { snykKind } from '../../src/contract/attestations/snyk.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import { systemKind } from '../../src/contract/attestations/system.ts';
import { listAuditEvents } from '../../src/contract/audit-log.ts';
import {
  getArtifactPackage,
  getEnvironmentPackage,
  getFlowPackage,
  getTrailPackage,
} from '../../src/contract/audit-package.ts';
import { archiveCustomType, createCustomType, getCustomType, listCustomTypes } from '../../src/contract/custom-type.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { createEnvironment, joinEnvironment, reportK8s } from '../../src/contract/environment.ts';
import { getEnvironment, listEnvironments } from '../../src/contract/environment-list.ts';
import { listEnvironmentEvents } from '../../src/contract/environment-log.ts';
import { reportKinds } from '../../src/contract/environment-report.ts';
import { createFlow, getFlow, listFlows } from '../../src/contract/flow.ts';
import { createFlowFromFile } from '../../src/contract/flow-template.ts';
import { listGithubGates } from '../../src/contract/github-gate.ts';
import { listLoginKeys } from '../../src/contract/login-key.ts';
import { listLoginRules, saveLoginRule } from '../../src/contract/login-rule.ts';
import { listMembers, saveMember } from '../../src/contract/member.ts';
import { getNotification } from '../../src/contract/notification.ts';
import {
  inspectNotification,
  listNotifications,
  updateNotification,
} from '../../src/contract/notification-administration.ts';
import { attachPolicy, createPolicy, detachPolicy, getPolicy } from '../../src/contract/policy.ts';
import { listPolicies } from '../../src/contract/policy-list.ts';
import { previewPolicy } from '../../src/contract/policy-preview.ts';
import { renameEnvironment, renameFlow } from '../../src/contract/rename.ts';
import { type Role, roles } from '../../src/contract/role.ts';
import { deleteServiceAccount, getServiceAccount, listServiceAccounts } from '../../src/contract/service-account.ts';
import { updateServiceAccount } from '../../src/contract/service-account-administration.ts';
import { diffEnvironments, listSnapshots } from '../../src/contract/snapshot.ts';
import { getSnapshot } from '../../src/contract/snapshot-details.ts';
import { changeTags } from '../../src/contract/tags.ts';
import { beginTrail } from '../../src/contract/trail.ts';
import { listTrails } from '../../src/contract/trail-list.ts';
import { getTrail } from '../../src/contract/trail-reading.ts';
import { setDefaultOrg } from '../../src/contract/user.ts';
import { policyForm } from './environment-samples.ts';
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

const recorders: readonly Role[] = ['admin', 'member'];
const reporters: readonly Role[] = ['admin', 'member', 'snapshotter'];
const admins: readonly Role[] = ['admin'];
const everyone = roles;

/** @param path with the organization in place of `ORG` */
function sample(
  endpoint: Endpoint,
  allowed: readonly Role[],
  path: string,
  body: () => Pick<Call, 'json' | 'form'> = () => ({}),
): Sample {
  const { method } = endpoint;
  return { endpoint, allowed, request: (org) => ({ method, path: path.replace('ORG', org), ...body() }) };
}

const pods = [{ creationTimestamp: 1, digests: { web: fingerprintOf('abcdef') }, namespace: 'web', podName: 'web-1' }];
const policyNames = { json: { policy_names: ['provenance'] } };
const allowed = {
  ...{ artifact_fingerprint: fingerprintOf('abcdef'), artifact_name: 'web' },
  description: 'Until it is built again',
};
const policyYaml = '_schema: https://compliance.example.com/schemas/policy/environment/v1\n';
const template = { part: 'template_file', name: 'template.yml', content: 'version: 1\n' };
const account = '/service-accounts/ORG/ci';
const notifications = '/organizations/ORG/environments_notifications';
const artifact = `fingerprint/${fingerprintOf('abcdef')}`;

/** The kinds of evidence beyond Sonar, with the smallest document of each. */
const evidence = [
  { kind: genericKind, document: {} },
  { kind: junitKind, document: { junit_results: [] } },
  { kind: pullRequestKind, document: { git_provider: 'github', pull_requests: [] } },
  {
    kind: snykKind,
    document: { snyk_results: { schema_version: 1, tool: { name: 'snyk', version: '1' }, results: [] } },
  },
  { kind: jiraKind, document: { jira_results: [] } },
  { kind: customKind, document: { type_name: 'coverage', attestation_data: {} } },
  { kind: systemKind, document: { type_name: 'decision', attestation_data: { is_compliant: true } } },
];

const loginRule = {
  ...{ repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'] },
  role: 'member',
};

/** What admins do in their organization, as far as it can be repeated. */
const administration: readonly Sample[] = [
  sample(updateServiceAccount, admins, account, () => ({ json: { description: 'x' } })),
  sample(listServiceAccountKeys, admins, `${account}/api-keys`),
  sample(saveLoginRule, admins, '/organizations/ORG/login-rules/deploy', () => ({ json: loginRule })),
  sample(listLoginRules, admins, '/organizations/ORG/login-rules'),
  sample(listGithubGates, admins, '/organizations/ORG/github-gates'),
  sample(listLoginKeys, admins, '/organizations/ORG/login-keys'),
  sample(listAuditEvents, admins, '/organizations/ORG/audit-log'),
  sample(listMembers, admins, '/organizations/ORG/members'),
  sample(saveMember, admins, '/organizations/ORG/members/walker', () => ({ json: { role: 'reader' } })),
  sample(listMemberKeys, admins, '/organizations/ORG/members/walker/api-keys'),
  sample(listNotifications, everyone, notifications),
  sample(inspectNotification, admins, `${notifications}/1/deliveries`),
  sample(updateNotification, admins, `${notifications}/1`, () => ({ json: { name: 'Changed' } })),
];

/**
 * Every endpoint of the service that needs the key of an organization, with a request that succeeds after those before
 * it. Those that delete something come last.
 */
export const everyEndpoint: readonly Sample[] = [
  sample(createFlow, recorders, '/flows/ORG', () => ({ json: sampleFlow() })),
  sample(getFlow, everyone, '/flows/ORG/web'),
  sample(createFlowFromFile, recorders, '/flows/ORG/template_file', () => ({
    form: attestationForm({ name: 'filed', description: '' }, template),
  })),
  sample(listFlows, everyone, '/flows/ORG'),
  sample(beginTrail, recorders, '/trails/ORG/filed', () => ({ form: attestationForm({ name: 'begun' }, template) })),
  sample(getTrail, everyone, '/trails/ORG/filed/begun'),
  sample(listTrails, everyone, '/trails/ORG'),
  sample(findTrailAttestations, everyone, '/attestations/ORG/filed/trail/begun/unit'),
  sample(findArtifactAttestations, everyone, `/attestations/ORG/filed/artifact/${fingerprintOf('abcdef')}/unit`),
  sample(findAttestationById, everyone, '/attestations/ORG?attestation_id=00000000-0000-0000-0000-00000000'),
  sample(attestSonar, recorders, '/attestations/ORG/web/trail/main/sonar', () => ({
    form: attestationForm(sampleAttestation('OK'), { content: 'a file' }),
  })),
  sample(createCustomType, recorders, '/custom-attestation-types/ORG', () => ({
    form: attestationForm({ name: 'coverage' }),
  })),
  sample(getCustomType, everyone, '/custom-attestation-types/ORG/coverage'),
  sample(listCustomTypes, everyone, '/custom-attestation-types/ORG'),
  ...evidence.map(({ kind, document }) =>
    sample(kind.endpoint, recorders, `/attestations/ORG/web/trail/main/${kind.name}`, () => ({
      form: attestationForm({ attestation_name: kind.name, ...document }),
    })),
  ),
  sample(overrideAttestation, recorders, '/attestations/ORG/web/trail/main/override', () => ({
    json: {
      ...{ attestation_name: 'generic', reason: 'Reviewed', new_compliance_status: false },
      original_attestation_type: 'generic',
    },
  })),
  sample(reportArtifact, recorders, '/artifacts/ORG/web', () => ({ json: sampleArtifact() })),
  sample(getArtifact, everyone, `/artifacts/ORG/web/${artifact}`),
  sample(findLatestCommit, everyone, `/artifacts/ORG/web/${fingerprintOf('abcdef')}/latest_commit`),
  sample(listArtifactsOfCommit, everyone, `/artifacts/ORG/web/commit_sha/${commitOf('1')}`),
  sample(listArtifacts, everyone, '/artifacts/ORG?flow_name=web'),
  sample(searchArtifacts, everyone, `/search/ORG/sha/${fingerprintOf('abcdef')}`),
  sample(assertArtifact, everyone, `/asserts/ORG/${artifact}`),
  sample(listAttestations, everyone, '/attestations/ORG/web'),
  sample(createEnvironment, reporters, '/environments/ORG', () => ({ json: { name: 'prod', type: 'K8S' } })),
  sample(reportK8s, reporters, '/environments/ORG/prod/report/K8S', () => ({ json: { artifacts: pods } })),
  sample(createPolicy, recorders, '/policies/ORG', () => ({
    form: policyForm({ name: 'provenance', type: 'env' }, { content: policyYaml }),
  })),
  sample(getPolicy, everyone, '/policies/ORG/provenance'),
  sample(previewPolicy, everyone, '/policies/ORG/provenance/preview', () => ({
    form: policyForm({ name: 'provenance' }, { content: policyYaml }),
  })),
  sample(attachPolicy, recorders, '/environments/ORG/prod/policies', () => policyNames),
  sample(allowArtifact, recorders, '/allowlists/ORG/prod', () => ({ json: allowed })),
  sample(listAllowedArtifacts, everyone, '/allowlists/ORG/prod'),
  sample(joinEnvironment, reporters, '/environments/ORG/all/join', () => ({ json: { physical_env_name: 'prod' } })),
  sample(changeTags, recorders, '/tags/ORG/flow/web', () => ({ json: { set_tags: { team: 'shop' } } })),
  sample(diffEnvironments, everyone, '/env-diff/ORG?snappish1=prod&snappish2=prod'),
  sample(listSnapshots, everyone, '/snapshots/ORG/prod'),
  ...reportKinds.map(({ kind, endpoint }) =>
    sample(endpoint, reporters, `/environments/ORG/of-${kind}/report/${kind}`, () => ({ json: { artifacts: [] } })),
  ),
  sample(listPolicies, everyone, '/policies/ORG'),
  sample(listEnvironments, everyone, '/environments/ORG'),
  sample(getEnvironment, everyone, '/environments/ORG/prod'),
  sample(listEnvironmentEvents, everyone, '/environments/ORG/prod/events'),
  sample(getSnapshot, everyone, '/snapshots/ORG/prod/-1'),
  sample(getTrailPackage, everyone, '/trails/ORG/filed/begun/audit-package'),
  sample(getArtifactPackage, everyone, `/artifacts/ORG/web/${artifact}/audit-package`),
  sample(getFlowPackage, everyone, '/flows/ORG/web/audit-package'),
  sample(getEnvironmentPackage, everyone, '/environments/ORG/prod/audit-package'),
  sample(getNotification, everyone, `${notifications}/1`),
  sample(listServiceAccounts, reporters, '/service-accounts/ORG'),
  sample(getServiceAccount, reporters, account),
  ...administration,
  sample(setDefaultOrg, everyone, '/user/ORG'),
  sample(archiveCustomType, recorders, '/custom-attestation-types/ORG/unused/archive'),
  sample(disallowArtifact, recorders, `/allowlists/ORG/prod/${fingerprintOf('abcdef')}`),
  sample(detachPolicy, recorders, '/environments/ORG/prod/policies', () => policyNames),
  sample(renameFlow, recorders, '/flows/ORG/old/rename', () => ({ json: { new_name: 'old' } })),
  sample(renameEnvironment, recorders, '/environments/ORG/old/rename', () => ({ json: { new_name: 'old' } })),
  sample(archiveEnvironment, recorders, '/environments/ORG/old/archive'),
  sample(archiveFlow, recorders, '/flows/ORG/old/archive'),
  sample(archivePolicy, recorders, '/policies/ORG/old/archive'),
  sample(deleteServiceAccount, admins, account),
];
