import { isReservedType } from '../../contract/attestations/attestation-types.ts';
import { customTypeArchived, customTypeMissing } from '../../contract/attestations/custom.ts';
import {
  archiveCustomType,
  createCustomType,
  type CustomTypeResponse,
  customTypeVersionMissing,
  getCustomType,
  listCustomTypes,
} from '../../contract/custom-type.ts';
import type { EndpointDocument } from '../../contract/endpoint.ts';
import { maximumCustomTypes, maximumCustomTypeVersions, maximumDefinitionBytes } from '../../contract/limits.ts';
import { decodeText } from '../../runtime/decode-text.ts';
import { actorName } from '../account/access.ts';
import type { ReceivedFile } from '../platform/attachments/attachments.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { CustomType, CustomTypeDefinition, CustomTypeVersion } from './custom-type.ts';
import * as customTypes from './custom-type-use-cases.ts';

export function addCustomTypeRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, createCustomType, requireRole(dependencies, 'define'), async (received) => {
    const { caller, parameters, document, file, carryOut } = received;
    const { name, description } = document;
    if (isReservedType(name)) throw validationError(['name', `is the name of a type of the service [input: ${name}]`]);
    const definition = await readDefinition(document, file?.content);
    const version = { org: parameters.org, name, description, definition, by: actorName(caller) };
    return carryOut(customTypes.saveCustomType, dependencies, version, (result) => {
      if (typeof result === 'object') throw validationError(...result);
      if (result === 'too many types') {
        throw validationError(['name', `is new, but there are ${maximumCustomTypes} custom types; use one of them`]);
      }
      if (result === 'too many versions') {
        throw validationError(['name', `has the maximum of ${maximumCustomTypeVersions} versions; use another name`]);
      }
      return { status: 201, body: 'OK' };
    });
  });

  addRoute(host, listCustomTypes, requireRole(dependencies, 'read'), async ({ parameters: { org } }) => {
    const listed = await dependencies.storage.read((records) => records.customTypes.list(org));
    return { status: 200, body: listed.map((one) => ({ ...toResponse(one), ...toHistory(one) })) };
  });

  addRoute(host, getCustomType, requireRole(dependencies, 'read'), async ({ parameters, query }) => {
    const { org, type_name: name } = parameters;
    const version = /^\d+$/u.test(query.version ?? '') ? Number(query.version) : undefined;
    const found = await customTypes.findCustomType(dependencies, { org, name, version });
    if (found === 'version not found') {
      throw new ApiError(customTypeVersionMissing, { values: { name, version: version ?? 0 } });
    }
    if (typeof found === 'string') throw toObstacleError(found, { org, name });
    return { status: 200, body: { ...toResponse(found), ...(version === undefined ? toHistory(found) : {}) } };
  });

  addRoute(host, archiveCustomType, requireRole(dependencies, 'define'), ({ caller, parameters, carryOut }) => {
    const { org, type_name: name } = parameters;
    return carryOut(customTypes.archiveCustomType, dependencies, { org, name, by: actorName(caller) }, (result) => {
      if (result !== 'archived') throw toObstacleError(result, { org, name });
      return { status: 200, body: 'OK' };
    });
  });
}

/** @throws ApiError */
async function readDefinition(
  { evaluator, summary }: EndpointDocument<typeof createCustomType>,
  file: Pick<ReceivedFile, 'size' | 'bytes'> | undefined,
): Promise<CustomTypeDefinition> {
  const rules = { rules: evaluator?.rules ?? [], summary: summary ?? [] };
  const limit = `must have at most ${maximumDefinitionBytes} bytes`;
  if (Buffer.byteLength(JSON.stringify(rules)) > maximumDefinitionBytes) throw validationError(['evaluator', limit]);
  if (file === undefined) return rules;
  if (file.size > maximumDefinitionBytes) throw validationError(['type_schema', limit]);
  const schema = decodeText(await file.bytes());
  if (schema === undefined) throw validationError(['type_schema', 'must be UTF-8']);
  return { ...rules, schema };
}

function toObstacleError(
  obstacle: customTypes.CustomTypeObstacle,
  values: { readonly org: string; readonly name: string },
): ApiError {
  return new ApiError(obstacle === 'type archived' ? customTypeArchived : customTypeMissing, { values });
}

function toResponse({ org, name, description, isArchived, versions }: CustomType): CustomTypeResponse {
  return {
    ...{ name, org, archived: isArchived, versions: versions.map(toVersionResponse) },
    ...(description === '' ? {} : { description }),
  };
}

/** When the type was created, and last changed. */
function toHistory({ versions }: CustomType): Partial<CustomTypeResponse> {
  const [first, last] = [versions[0], versions.at(-1)];
  if (first === undefined || last === undefined) return {};
  return { created_by: first.createdBy, created_at: first.createdAt, last_modified_at: last.createdAt };
}

function toVersionResponse(one: CustomTypeVersion): CustomTypeResponse['versions'][number] {
  const { version, createdAt, createdBy, definition } = one;
  const head = { version, timestamp: createdAt, created_by: createdBy };
  if (definition === undefined) return head;
  const { schema, rules, summary } = definition;
  return {
    ...head,
    ...(schema === undefined ? {} : { type_schema: schema }),
    ...(rules.length === 0 ? {} : { evaluator: { content_type: 'jq', rules: [...rules] } }),
    summary: summary.length === 0 ? null : [...summary],
  };
}
