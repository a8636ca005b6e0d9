import { conforms, isKeywords, type Keywords } from './check.ts';
import { decisive, isDecisive, widerFormOf, type TSchema } from './schema.ts';

/*
 * What a client requires of an answer. The contract declares each field once, with the form that this service gives it. A
 * client depends on fewer: on the fields that are required, and on those that are marked as decisive. What else has
 * another form with another service must not turn an answer into an error.
 */

/** The form of an answer that a client accepts: the declared one, with the wider form of each `tolerant` field. */
export function acceptedForm(declared: TSchema): TSchema {
  const wider = widerFormOf(declared);
  const keywords = Object.entries(isKeywords(wider) ? wider : declared).map(([keyword, value]: [string, unknown]) => {
    switch (keyword) {
      case 'items':
        return [keyword, acceptedMember(value)] as const;
      case 'anyOf':
        return [keyword, Array.isArray(value) ? value.map(acceptedMember) : value] as const;
      case 'properties':
        return [keyword, acceptedProperties(value)] as const;
      default:
        return [keyword, value] as const;
    }
  });
  const accepted: TSchema = Object.fromEntries(keywords);
  return isDecisive(declared) ? decisive(accepted) : accepted;
}

function acceptedMember(schema: unknown): unknown {
  return isKeywords(schema) ? acceptedForm(schema) : schema;
}

function acceptedProperties(properties: unknown): unknown {
  if (!isKeywords(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, acceptedMember(schema)]));
}

/** The keys of an answer on which a decision rests, with those of the objects and lists that lead there. */
export function decisiveKeys(schema: unknown): ReadonlySet<string> {
  const keys = new Set<string>();
  collectKeys(schema, keys);
  return keys;
}

function collectKeys(schema: unknown, keys: Set<string>): void {
  if (!isKeywords(schema)) return;
  collectKeys(schema['items'], keys);
  for (const [key, property] of propertiesOf(schema)) {
    if (!isNecessary(schema, key, property)) continue;
    keys.add(key);
    collectKeys(property, keys);
  }
}

/**
 * An answer as a client may rely on it: without the fields that it does not depend on and that do not have the declared
 * form. As JSON it is the whole answer, as it came. An answer that has the declared form is returned itself.
 */
export function answerView(schema: unknown, answer: unknown): unknown {
  if (!isKeywords(schema) || hasForm(schema, answer)) return answer;
  if (Array.isArray(answer)) return answer.map((item: unknown) => answerView(schema['items'], item));
  const { anyOf } = schema;
  if (Array.isArray(anyOf)) return viewOfUnion(anyOf, answer);
  return isKeywords(answer) ? viewOfObject(schema, answer) : answer;
}

/** A view that says nothing, and is the answer as JSON. */
export function emptyView(answer: unknown): object {
  return asJson({}, answer);
}

function viewOfUnion(members: readonly unknown[], answer: unknown): unknown {
  for (const member of members) {
    const view = answerView(member, answer);
    if (isKeywords(member) && hasForm(member, view)) return view;
  }
  return answer;
}

function viewOfObject(schema: Keywords, answer: Keywords): unknown {
  const properties = new Map(propertiesOf(schema));
  const kept = Object.entries(answer).flatMap(([key, value]) => {
    const property = properties.get(key);
    if (property === undefined) return [[key, value] as const];
    const view = answerView(property, value);
    return isNecessary(schema, key, property) || hasForm(property, view) ? [[key, view] as const] : [];
  });
  return asJson(Object.fromEntries(kept), answer);
}

/** Lets `JSON.stringify` write the answer in place of its view. */
function asJson(view: object, answer: unknown): object {
  return Object.defineProperty(view, 'toJSON', { value: () => answer });
}

function hasForm(schema: Keywords, answer: unknown): boolean {
  return conforms(schema, answer);
}

function propertiesOf({ properties }: Keywords): readonly (readonly [string, Keywords])[] {
  if (!isKeywords(properties)) return [];
  return Object.entries(properties).flatMap(([key, schema]) => (isKeywords(schema) ? [[key, schema] as const] : []));
}

function isNecessary({ required }: Keywords, key: string, property: Keywords): boolean {
  return (Array.isArray(required) && required.includes(key)) || isDecisive(property);
}
