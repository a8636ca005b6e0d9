import { Check } from 'typebox/schema';
import { isMapping, valueAt, type Mapping } from '../../src/runtime/untrusted-data.ts';
import { createOpenApiDocument } from '../../src/service/platform/server/openapi/document.ts';

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

// Plain JSON, as readers of the document get it.
const document: unknown = JSON.parse(JSON.stringify(createOpenApiDocument('/api/v2')));
const paths = valueAt(document, 'paths');
const templates = (isMapping(paths) ? Object.keys(paths) : []).map((path) => ({ path, pieces: path.split('/') }));

/**
 * How a response deviates from the service's OpenAPI document; undefined if it does not, or if the document does not
 * have the operation.
 */
export function findDeviation(answered: EndpointResult): string | undefined {
  const operation = operationOf(answered);
  if (operation === undefined) return undefined;
  const { method, path, status, contentType, body } = answered;
  const where = `${method} ${path} → ${status}`;
  const response = valueAt(operation, 'responses', String(status));
  if (response === undefined) return `${where}: the status is not declared`;
  const content = valueAt(response, 'content');
  const [mediaType = ''] = isMapping(content) ? Object.keys(content) : [];
  const declared = mediaType === 'application/json' ? 'application/json; charset=utf-8' : mediaType;
  if (contentType !== declared) return `${where}: sent as ${String(contentType)}`;
  const schema = resolved(valueAt(content, mediaType, 'schema'));
  return Check(schema, body) ? undefined : `${where}: the body is not as declared: ${JSON.stringify(body)}`;
}

function operationOf({ method, path }: EndpointResult): unknown {
  const segments = path.replace(/\?.*$/u, '').split('/');
  const template = templates.find(
    ({ pieces }) =>
      pieces.length === segments.length &&
      pieces.every((piece, index) => piece.startsWith('{') || piece === segments[index]),
  );
  return template && valueAt(paths, template.path, method.toLowerCase());
}

function resolved(schema: unknown): Mapping {
  const reference = valueAt(schema, '$ref');
  const found = typeof reference === 'string' ? valueAt(document, ...reference.split('/').slice(1)) : schema;
  if (!isMapping(found)) throw new TypeError(`no schema: ${JSON.stringify(schema)}`);
  return found;
}
