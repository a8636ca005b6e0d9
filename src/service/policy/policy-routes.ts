import { createPolicy, getPolicy, type Policy, policyMissing } from '../../contract/policy.ts';
import { listPolicies } from '../../contract/policy-list.ts';
import { previewPolicy } from '../../contract/policy-preview.ts';
import { actorName } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import type { UploadedFile } from '../platform/server/bodies/multipart.ts';
import { YamlFileReader } from '../platform/server/bodies/yaml-file-reader.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { PolicyEvent, PolicyRecord, PolicyVersion } from './policy.ts';
import { toPreviewResponse } from './policy-preview-response.ts';
import * as previews from './policy-preview-use-cases.ts';
import * as policies from './policy-use-cases.ts';
import { type PolicyReading, readPolicy } from './read-policy.ts';

/** Adds operation 6 (create or update a policy), its preview, and the endpoint that reads a policy. */
export function addPolicyRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const reader = new YamlFileReader(readPolicy, new URL('./read-policy.ts', import.meta.url));
  addRoute(
    host,
    createPolicy,
    requireRole(dependencies, 'define'),
    async ({ caller, parameters, document, file, carryOut }) => {
      const reading = await readFile(reader, file);
      const { name, description, comment = '' } = document;
      const { org } = parameters;
      const version = { org, name, description, comment, user: actorName(caller), ...reading };
      return carryOut(policies.savePolicy, dependencies, version, ({ outcome, policy }) => ({
        status: outcome === 'created' ? 201 : 200,
        body: toPolicyResponse(policy),
      }));
    },
  );

  addRoute(host, previewPolicy, requireRole(dependencies, 'read'), async (received) => {
    const { parameters, document, file, signal } = received;
    const { org, policy_name: name } = parameters;
    if (document.name !== name) throw validationError(['name', `must be ${name}, as in the path`]);
    const { rules } = await readFile(reader, file);
    const read = { org, bytes: Infinity, signal };
    const preview = await previews.previewPolicy(dependencies, { org, name, rules }, (work) =>
      dependencies.largeReads.run(read, work),
    );
    return { status: 200, body: toPreviewResponse(preview, { org, name }, dependencies.links) };
  });

  addRoute(host, getPolicy, requireRole(dependencies, 'read'), async ({ parameters: { org, policy_name: name } }) => {
    const found = await policies.findPolicy(dependencies, { org, name });
    if (found === undefined) throw new ApiError(policyMissing, { values: { policy: name, org } });
    return { status: 200, body: toPolicyResponse(found) };
  });
}

/** @throws ApiError if the file is not a policy */
async function readFile(
  reader: YamlFileReader<PolicyReading>,
  file: UploadedFile | undefined,
): Promise<Exclude<PolicyReading, { readonly faults: unknown }>> {
  if (file === undefined) throw validationError(['policy_file', 'is missing']);
  const reading = await reader.read(file.content);
  if ('faults' in reading) throw validationError(['policy_file', reading.faults.join('; ')]);
  return reading;
}

export function addPolicyListRoute(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, listPolicies, requireRole(dependencies, 'read'), async ({ parameters: { org } }) => {
    const listed = await policies.listPolicies(dependencies, { org });
    return { status: 200, body: listed.map(toPolicyResponse) };
  });
}

/** Converts a policy to the response of operation 6. Times are whole seconds (interface, Policy). */
export function toPolicyResponse(policy: PolicyRecord): Policy {
  return {
    name: policy.name,
    description: policy.description,
    archived: policy.isArchived,
    consuming_envs: [...policy.environments],
    created_at: Math.floor(policy.createdAt),
    created_by: policy.createdBy,
    last_modified_at: Math.floor(policy.lastModifiedAt),
    events: policy.events.map(toEventResponse),
    versions: policy.versions.map(toVersionResponse),
  };
}

function toEventResponse({
  type,
  timestamp,
  user,
  version,
  environment,
}: PolicyEvent): NonNullable<Policy['events']>[number] {
  const data = environment === undefined ? { version } : { version, environment };
  return { type, timestamp: Math.floor(timestamp), user, data };
}

function toVersionResponse(policyVersion: PolicyVersion): Policy['versions'][number] {
  const { version, comment, createdBy, createdAt, text } = policyVersion;
  const yaml = text === undefined ? {} : { policy_yaml: text };
  return { version, comment, created_by: createdBy, timestamp: Math.floor(createdAt), ...yaml };
}
