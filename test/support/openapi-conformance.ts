import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import { conforms } from '../../src/contract/check.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { errorBody } from '../../src/contract/errors.ts';
import { isMapping, valueAt } from '../../src/runtime/untrusted-data.ts';
import { errorSchemaName, toResponses } from '../../src/service/platform/server/openapi/responses.ts';

/** A response of a service. */
export interface EndpointResult {
  readonly method: string;
  /** Relative to the base address of the interface, with its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  /** The parsed JSON. */
  readonly body: unknown;
}

const endpoints = apiEndpoints.map((endpoint) => ({ endpoint, pieces: endpoint.path.split('/') }));

/** The responses of endpoints in the service's OpenAPI document, as plain JSON. */
const described = new Map<Endpoint, unknown>();

/**
 * How a response deviates from the service's OpenAPI document; undefined if it does not, or if the document does not
 * have the operation.
 */
export function findDeviation(answered: EndpointResult): string | undefined {
  const endpoint = endpointOf(answered);
  if (endpoint === undefined) return undefined;
  const { method, path, status, contentType, body } = answered;
  const where = `${method} ${path} → ${status}`;
  const responses: unknown = described.get(endpoint) ?? JSON.parse(JSON.stringify(toResponses(endpoint)));
  described.set(endpoint, responses);
  const response = valueAt(responses, String(status));
  if (response === undefined) return `${where}: the status is not declared`;
  const content = valueAt(response, 'content');
  const [mediaType = ''] = isMapping(content) ? Object.keys(content) : [];
  const expected = mediaType === 'application/json' ? 'application/json; charset=utf-8' : mediaType;
  if (contentType !== expected) return `${where}: sent as ${String(contentType)}`;
  // Not TypeBox's checker, which takes long to load. The tests of the contract compare the two.
  const declared = valueAt(content, mediaType, 'schema');
  const schema = valueAt(declared, '$ref') === `#/components/schemas/${errorSchemaName}` ? errorBody : declared;
  if (!isMapping(schema) || '$ref' in schema) throw new TypeError(`no schema: ${JSON.stringify(schema)}`);
  return conforms(schema, body) ? undefined : `${where}: the body is not as declared: ${JSON.stringify(body)}`;
}

function endpointOf({ method, path }: EndpointResult): Endpoint | undefined {
  const segments = path.replace(/\?.*$/u, '').split('/');
  return endpoints.find(
    ({ endpoint, pieces }) =>
      endpoint.method === method &&
      pieces.length === segments.length &&
      pieces.every((piece, index) => piece.startsWith('{') || piece === segments[index]),
  )?.endpoint;
}
