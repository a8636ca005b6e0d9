import type { TObject, TSchema } from '../../../contract/schema.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { requestBody } from './request-body.ts';
import { responses } from './responses.ts';
import type { JsonObject } from './schema.ts';

/** An endpoint as an Operation Object. */
export function operationObject(endpoint: Endpoint): JsonObject {
  const { operation, title, authentication, deprecated, parameters, query } = endpoint;
  const body = requestBody(endpoint.body);
  return {
    operationId: operation ?? title.toLowerCase().replaceAll(' ', '-'),
    summary: title,
    description: descriptionOf(endpoint),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    security: authentication.map((method) => ({ [method]: [] })),
    parameters: [...parametersOf(parameters, 'path'), ...parametersOf(query, 'query')],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responses(endpoint),
  };
}

function descriptionOf({ number, deprecated, choices }: Endpoint): string {
  const paragraphs = [
    ...(number === undefined ? [] : [`Operation ${number} of the interface.`]),
    ...(deprecated === undefined ? [] : [deprecated]),
    ...(choices.length === 0 ? [] : ['Where the interface is silent, this service chose:']),
    choices.map(({ subject, choice, source }) => `- ${subject}: ${choice} (${source})`).join('\n'),
  ];
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
}

function parametersOf({ properties, ...rest }: TObject, place: 'path' | 'query'): readonly JsonObject[] {
  // JSON Schema has no list where nothing is required.
  const required: readonly string[] = Object.hasOwn(rest, 'required') ? rest.required : [];
  return Object.entries<TSchema>(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...('description' in schema ? { description: schema.description } : {}),
    schema,
  }));
}
