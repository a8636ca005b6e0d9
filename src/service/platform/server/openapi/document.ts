import { apiEndpoints } from '../../../../contract/api-endpoints.ts';
import { environmentPayload } from '../../../../contract/environment.ts';
import { errorBody } from '../../../../contract/errors.ts';
import { logEndpoints } from '../../../../contract/log.ts';
import { toOperationObject } from './operation-object.ts';
import { errorSchemaName, headerComponents, type JsonObject } from './responses.ts';

const description = `Records and checks software-delivery evidence for organizations.

Requests and responses are JSON, except policy upload and Sonar attestation, which are multipart/form-data. Times are numeric
Unix seconds. Unknown fields are rejected.`;

/**
 * Creates the OpenAPI 3.1 document from the same contract as the routes: every endpoint with its
 * parameters, bodies, responses and errors.
 *
 * @param server the base address of the interface, ending in `/api/v2`.
 */
export function createOpenApiDocument(server: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Compliance tracking service',
      version: '2.0',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    paths: toPathItems(),
    components: {
      // The public client's tests look for this name.
      schemas: { [errorSchemaName]: errorBody, CreateEnvironmentPutInput: environmentPayload },
      headers: headerComponents,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key: personal, or of a service account.' },
        basic: { type: 'http', scheme: 'basic', description: 'The API key is the user name; the password is ignored.' },
      },
    },
  };
}

/** Operations by path and method: those of the interface first, in its order. */
function toPathItems(): JsonObject {
  const paths = new Map<string, JsonObject>();
  for (const endpoint of apiEndpoints) {
    const operation = { [endpoint.method.toLowerCase()]: toOperationObject(endpoint) };
    paths.set(endpoint.path, { ...paths.get(endpoint.path), ...operation });
  }
  // These are at the root of the service. The address is relative to the address of the document.
  const servers = [{ url: '../..' }];
  for (const endpoint of logEndpoints) paths.set(endpoint.path, { servers, get: toOperationObject(endpoint) });
  return Object.fromEntries(paths);
}
