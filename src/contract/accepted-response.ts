import { conforms, isObject, type Keywords } from './check.ts';
import { decisive, findWiderSchema, isDecisive, type TSchema } from './schema.ts';

/*
 * What a client requires of a response. The contract declares each field once, in the form that this service sends. A
 * client depends on fewer fields: those that are required, and those that are marked as decisive. If another service
 * sends any other field in another form, that must not turn the response into an error.
 */

/** The schema that a client accepts for a response: the declared one, but wider for each `tolerant` field. */
export function toAcceptedSchema(declared: TSchema): TSchema {
  const wider = findWiderSchema(declared);
  const keywords = Object.entries(isObject(wider) ? wider : declared).map(([keyword, value]: [string, unknown]) => {
    switch (keyword) {
      case 'items':
        return [keyword, toAcceptedMember(value)] as const;
      case 'anyOf':
        return [keyword, Array.isArray(value) ? value.map(toAcceptedMember) : value] as const;
      case 'properties':
        return [keyword, toAcceptedProperties(value)] as const;
      default:
        return [keyword, value] as const;
    }
  });
  const accepted: TSchema = Object.fromEntries(keywords);
  return isDecisive(declared) ? decisive(accepted) : accepted;
}

function toAcceptedMember(schema: unknown): unknown {
  return isObject(schema) ? toAcceptedSchema(schema) : schema;
}

function toAcceptedProperties(properties: unknown): unknown {
  if (!isObject(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, toAcceptedMember(schema)]));
}

/**
 * The part of a response that a client may rely on: fields that the client does not depend on are left out if they do
 * not conform to the schema. `JSON.stringify` still writes the whole response as it was received. A response that
 * conforms is returned unchanged.
 */
export function toResponseView(schema: unknown, answer: unknown): unknown {
  if (!isObject(schema) || conformsTo(schema, answer)) return answer;
  if (Array.isArray(answer)) return answer.map((item: unknown) => toResponseView(schema['items'], item));
  const { anyOf } = schema;
  if (Array.isArray(anyOf)) return toUnionView(anyOf, answer);
  return isObject(answer) ? toObjectView(schema, answer) : answer;
}

function toUnionView(members: readonly unknown[], answer: unknown): unknown {
  for (const member of members) {
    const view = toResponseView(member, answer);
    if (isObject(member) && conformsTo(member, view)) return view;
  }
  return answer;
}

function toObjectView(schema: Keywords, answer: Keywords): unknown {
  const properties = new Map(readProperties(schema));
  const kept = Object.entries(answer).flatMap(([key, value]) => {
    const property = properties.get(key);
    if (property === undefined) return [[key, value] as const];
    const view = toResponseView(property, value);
    return isRequiredOrDecisive(schema, key, property) || conformsTo(property, view) ? [[key, view] as const] : [];
  });
  return withJson(Object.fromEntries(kept), answer);
}

/** Makes `JSON.stringify` write the response instead of its view. */
function withJson(view: object, answer: unknown): object {
  return Object.defineProperty(view, 'toJSON', { value: () => answer });
}

function conformsTo(schema: Keywords, answer: unknown): boolean {
  return conforms(schema, answer);
}

function readProperties({ properties }: Keywords): readonly (readonly [string, Keywords])[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([key, schema]) => (isObject(schema) ? [[key, schema] as const] : []));
}

function isRequiredOrDecisive({ required }: Keywords, key: string, property: Keywords): boolean {
  return (Array.isArray(required) && required.includes(key)) || isDecisive(property);
}
