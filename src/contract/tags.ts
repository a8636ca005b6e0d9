import type { TArray, TOptional, TString } from 'typebox';
import { defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { flowName, orgName } from './names.ts';
import { Type } from './schema.ts';
import { lineText } from './text-fields.ts';

/** The maximum number of tags of a flow or an environment, and of names in a request. */
export const maximumTags = 50;

/** A key without a dot can be used in conditions of policies: `flow.tags.<key>`. */
const tagKey = Type.String({
  pattern: '^[a-zA-Z0-9][a-zA-Z0-9_./\\-]*$',
  maxLength: 100,
  description: 'The key of a tag.',
});

/** The tags of a flow or an environment. */
export const tags = Type.Record(Type.String(), Type.String(), { description: 'By key; see `PATCH /tags`.' });

export type Tags = Readonly<Record<string, string>>;

const taggedTypes = ['flow', 'flows', 'env', 'environment', 'environments'] as const;

/** The kind of resource that a type in the path means. */
export function toTaggedKind(type: string): 'flow' | 'environment' {
  return type.startsWith('flow') ? 'flow' : 'environment';
}

export const changeTags = defineEndpoint('PATCH /tags/{org}/{type}/{name}', {
  origin: 'observed',
  title: 'Change tags',
  parameters: Type.Object({
    org: orgName,
    type: Type.Enum(taggedTypes, { description: 'What has the tags.' }),
    name: Type.String({ ...flowName, description: 'The name of the flow or the environment.' }),
  }),
  body: jsonDocument({
    set_tags: Type.Record(tagKey, Type.String({ minLength: 1, maxLength: 255 })),
    remove_tags: Type.Optional(
      Type.Union([Type.Array(Type.String({ maxLength: 100 }), { maxItems: maximumTags }), Type.Null()], {
        description: 'Keys; those that are not set are ignored.',
      }),
    ),
  }),
  repetition: { effect: 'idempotent' },
  success: [ok('The tags are changed.')],
  errors: [...accessErrors, namedFlowNotFound, namedEnvironmentNotFound],
});

/** A query parameter with tags, which may be repeated. */
export function tagFilter(description: string): TOptional<TArray<TString>> {
  return Type.Optional(Type.Array(lineText(), { maxItems: 100, description }));
}

/** Whether tags have all of these, each `key` or `key:value`. */
export function hasTags(tagged: Tags, wanted: readonly string[]): boolean {
  const present = new Set(Object.entries(tagged).flatMap(([key, value]) => [key, `${key}:${value}`]));
  return wanted.every((each) => present.has(each));
}
