import { type Body, type Endpoint, filePartName, type MultipartBody } from '../../../../contract/endpoint.ts';
import { keyRetentionDays } from '../../../../contract/idempotency.ts';
import type { TObject, TSchema } from '../../../../contract/schema.ts';
import { type JsonObject, toContent, toResponses } from './responses.ts';

export function toOperationObject(endpoint: Endpoint): JsonObject {
  const { operation, title, authentication, deprecated, parameters, query } = endpoint;
  const body = toRequestBody(endpoint.body);
  return {
    operationId: operation ?? title.toLowerCase().replaceAll(' ', '-'),
    'x-origin': endpoint.number === undefined ? (endpoint.origin ?? 'ours') : 'interface',
    summary: title,
    description: toDescription(endpoint),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    security: authentication.map((method) => ({ [method]: [] })),
    parameters: [...toParameters(parameters, 'path'), ...toParameters(query, 'query'), ...toKeyParameter(endpoint)],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: toResponses(endpoint),
  };
}

function toDescription(endpoint: Endpoint): string {
  const { deprecated } = endpoint;
  return [describeOrigin(endpoint), ...(deprecated === undefined ? [] : [deprecated])].join('\n\n');
}

/** Where the endpoint comes from: readers must be able to tell the interface from what was added to it. */
function describeOrigin({ number, origin }: Endpoint): string {
  if (number !== undefined) return `Operation ${number} of the interface.`;
  return origin === 'observed'
    ? 'Not an operation of the interface: the public client was observed to use it.'
    : 'Not an operation of the interface: this service defines it.';
}

function toParameters({ properties, ...rest }: TObject, place: 'path' | 'query'): readonly JsonObject[] {
  // The schema has no list if nothing is required.
  const required: readonly string[] = Object.hasOwn(rest, 'required') ? rest.required : [];
  return Object.entries<TSchema>(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...('description' in schema ? { description: schema.description } : {}),
    schema,
  }));
}

/** The form of an idempotency key (`parseIdempotencyKey`). */
const keyForm = '[!#-\\[\\]-~]{1,255}';

/** The header with the idempotency key, which every endpoint that writes takes. */
function toKeyParameter({ repetition }: Endpoint): readonly JsonObject[] {
  if (repetition.effect === 'safe') return [];
  const description =
    'Requests with the same key, organization and operation are carried out once; the others get the answer of the ' +
    `first. ${repetition.effect === 'appends' ? 'Kept as long as the record' : `Kept for ${keyRetentionDays} days`}. ` +
    'A String of RFC 9651, or the key without quotation marks.';
  const schema = { type: 'string', pattern: `^("${keyForm}"|${keyForm})$` };
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema }];
}

function toRequestBody(body: Body): JsonObject | undefined {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'json':
      return { required: true, content: toContent('application/json', body.schema) };
    case 'multipart':
      return { required: true, content: toContent('multipart/form-data', toPartsSchema(body)) };
  }
}

/** The schema of the parts: the JSON text, and the file under either of its names. */
function toPartsSchema(body: MultipartBody): JsonObject {
  const { json, file } = body;
  const names = [filePartName(body, 'indexed'), filePartName(body, 'plain')];
  const description =
    `The file, with a filename; at most ${file.maximumBytes} bytes. One of ${names.join(' and ')}. ` +
    `Under ${filePartName(body, 'plain')}, text without a filename is the file, unless there is another one.`;
  const bytes = { type: 'string', contentMediaType: 'application/octet-stream', description };
  return {
    type: 'object',
    properties: {
      [json.part]: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: json.schema,
        description: `JSON text, without a filename; at most ${json.maximumBytes} bytes.`,
      },
      ...Object.fromEntries(names.map((name) => [name, bytes])),
    },
    required: [json.part],
    ...(file.required ? { anyOf: names.map((name) => ({ required: [name] })) } : {}),
    additionalProperties: false,
  };
}
