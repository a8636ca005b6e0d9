import { allowArtifact, disallowArtifact, listAllowedArtifacts } from './allow-list.ts';
import {
  createMemberKey,
  createServiceAccountKey,
  getServiceAccountKey,
  listMemberKeys,
  listServiceAccountKeys,
  revokeMemberKey,
  revokeServiceAccountKey,
  rotateServiceAccountKey,
} from './api-key.ts';
import { archiveEnvironment, archiveFlow, archivePolicy } from './archive.ts';
import { assertArtifact } from './artifact-assertion.ts';
import { findLatestCommit, listArtifacts, listArtifactsOfCommit, searchArtifacts } from './artifact-lists.ts';
import { reportArtifact } from './artifact-report.ts';
import { removeAttachment } from './attachment-removal.ts';
import { findArtifactAttestations, findAttestationById, findTrailAttestations } from './attestation-lookup.ts';
import { overrideAttestation } from './attestation-override.ts';
import { getStatement } from './attestation-statement.ts';
import { attestationKinds } from './attestations/kinds.ts';
import { listAuditEvents } from './audit-log.ts';
import { getArtifactPackage, getEnvironmentPackage, getFlowPackage, getTrailPackage } from './audit-package.ts';
import { archiveCustomType, createCustomType, getCustomType, listCustomTypes } from './custom-type.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { joinEnvironment } from './environment.ts';
import { getEnvironment, listEnvironments } from './environment-list.ts';
import { listEnvironmentEvents } from './environment-log.ts';
import { reportKinds } from './environment-report.ts';
import { getFlow, listFlows } from './flow.ts';
import { createFlowFromFile } from './flow-template.ts';
import { deleteGithubGate, getGithubGate, listGithubGates, saveGithubGate } from './github-gate.ts';
import { logIn } from './login.ts';
import { listLoginKeys, revokeLoginKey } from './login-key.ts';
import { deleteLoginRule, listLoginRules, saveLoginRule } from './login-rule.ts';
import { listMembers, removeMember, saveMember } from './member.ts';
import {
  createNotification,
  deleteNotification,
  inspectNotification,
  listNotifications,
  rotateWebhookSecret,
  updateNotification,
} from './notification-administration.ts';
import { getPolicy } from './policy.ts';
import { listPolicies } from './policy-list.ts';
import { previewPolicy } from './policy-preview.ts';
import { renameEnvironment, renameFlow } from './rename.ts';
import { createServiceAccount, updateServiceAccount } from './service-account-administration.ts';
import { getSnapshot } from './snapshot-details.ts';
import { changeTags } from './tags.ts';
import { beginTrail } from './trail.ts';
import { listTrails } from './trail-list.ts';
import { getTrail } from './trail-reading.ts';
import { getDefaultOrg } from './user.ts';

// In a module of its own, because the action needs few of these endpoints, and must not contain the others.

/** The endpoints of the API that the interface does not have. */
export const addedEndpoints: readonly Endpoint[] = [
  createFlowFromFile,
  getFlow,
  listFlows,
  beginTrail,
  getTrail,
  listTrails,
  reportArtifact,
  findLatestCommit,
  listArtifactsOfCommit,
  listArtifacts,
  searchArtifacts,
  assertArtifact,
  ...attestationKinds.map(({ endpoint }) => endpoint).filter(({ number }) => number === undefined),
  overrideAttestation,
  findTrailAttestations,
  findArtifactAttestations,
  findAttestationById,
  getStatement,
  removeAttachment,
  createCustomType,
  listCustomTypes,
  getCustomType,
  archiveCustomType,
  getPolicy,
  listPolicies,
  previewPolicy,
  getEnvironment,
  listEnvironments,
  listEnvironmentEvents,
  allowArtifact,
  listAllowedArtifacts,
  disallowArtifact,
  joinEnvironment,
  changeTags,
  archiveFlow,
  archiveEnvironment,
  archivePolicy,
  renameFlow,
  renameEnvironment,
  getSnapshot,
  getDefaultOrg,
  ...reportKinds.map(({ endpoint }) => endpoint),
  createServiceAccount,
  updateServiceAccount,
  createServiceAccountKey,
  listServiceAccountKeys,
  getServiceAccountKey,
  rotateServiceAccountKey,
  revokeServiceAccountKey,
  logIn,
  listLoginRules,
  saveLoginRule,
  deleteLoginRule,
  listLoginKeys,
  revokeLoginKey,
  listGithubGates,
  getGithubGate,
  saveGithubGate,
  deleteGithubGate,
  listAuditEvents,
  getTrailPackage,
  getArtifactPackage,
  getFlowPackage,
  getEnvironmentPackage,
  listMembers,
  saveMember,
  removeMember,
  createMemberKey,
  listMemberKeys,
  revokeMemberKey,
  createNotification,
  listNotifications,
  updateNotification,
  deleteNotification,
  inspectNotification,
  rotateWebhookSecret,
];

/** All endpoints of the API: those of the interface first. */
export const apiEndpoints: readonly Endpoint[] = [...endpoints, ...addedEndpoints];
