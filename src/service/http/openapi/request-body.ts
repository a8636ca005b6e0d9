import { filePartName, type Body, type MultipartBody } from '../../../contract/endpoint.ts';
import { content, type JsonObject } from './schema.ts';

/** The body of a request as a Request Body Object; undefined where there is none. */
export function requestBody(body: Body): JsonObject | undefined {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'json':
      return { required: true, content: content('application/json', body.schema) };
    case 'multipart':
      return { required: true, content: content('multipart/form-data', partsSchema(body)) };
  }
}

/** The parts: the JSON text, and the file under either of its names. */
function partsSchema(body: MultipartBody): JsonObject {
  const { json, file } = body;
  const names = [filePartName(body, 'indexed'), filePartName(body, 'plain')];
  const description =
    `The file, with a filename; at most ${file.maximumBytes} bytes. One of ${names.join(' and ')}. ` +
    `Under ${filePartName(body, 'plain')}, text without a filename is the file, too.`;
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
