import { archivedField, archivedQuery } from './archive.ts';
import { defineEndpoint, ok } from './endpoint.ts';
import { environmentKinds } from './environment.ts';
import { accessErrors, namedEnvironmentNotFound } from './errors.ts';
import { pageQuery } from './paging.ts';
import { type Static, strictObject, tolerant, Type } from './schema.ts';
import { tagFilter, tags } from './tags.ts';
import { lineText } from './text-fields.ts';

const time = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

/** An environment as the service returns it. */
export const environmentResponse = Type.Object({
  name: Type.String(),
  org: Type.String(),
  type: Type.String({ description: 'The kind of the environment.' }),
  description: Type.String(),
  state: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'The verdict of the latest snapshot; null if nothing was judged.',
  }),
  last_reported_at: time('Unix seconds; null if it was never reported, and for logical environments.'),
  last_modified_at: Type.Number({ description: 'When it was created or updated, in Unix seconds.' }),
  last_changed_at: time('When the latest snapshot was made, in Unix seconds; null if there is none.'),
  tags,
  archived: archivedField,
  policies: Type.Array(Type.String(), { description: 'The names of the attached policies.' }),
  require_provenance: Type.Boolean({ description: 'Whether it requires provenance besides its policies.' }),
  included_environments: Type.Array(Type.String(), { description: 'The members of a logical environment.' }),
});

export type EnvironmentResponse = Static<typeof environmentResponse>;

export const getEnvironment = defineEndpoint('GET /environments/{org}/{env_name}', {
  origin: 'observed',
  title: 'Get environment',
  success: [
    {
      status: 200,
      description: 'The environment.',
      // A client only depends on its kind.
      schema: tolerant(environmentResponse, Type.Object({ type: Type.String() })),
    },
  ],
  errors: [...accessErrors, namedEnvironmentNotFound],
});

export const listEnvironments = defineEndpoint('GET /environments/{org}', {
  origin: 'observed',
  title: 'List environments',
  query: strictObject({
    ...pageQuery,
    ...archivedQuery,
    name: Type.Optional(lineText({ description: 'Only environments whose name contains this text.' })),
    type: Type.Optional(
      Type.Array(Type.Enum(environmentKinds), { maxItems: 100, description: 'Only these kinds; may be repeated.' }),
    ),
    space_id: tagFilter('Only environments of these spaces; may be repeated. None is in a space.'),
    tag: tagFilter('Only environments with all of these tags, `key` or `key:value`; may be repeated.'),
    sort: Type.Optional(Type.Enum(['name', 'last_modified_at', 'last_changed_at'], { description: 'Default: name.' })),
    sort_direction: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default: asc.' })),
  }),
  success: [
    ok(
      'All environments, or a page of them if `page` or `per_page` was sent.',
      Type.Union([
        Type.Array(environmentResponse),
        Type.Object({
          environments: Type.Array(environmentResponse),
          page: Type.Integer(),
          per_page: Type.Integer(),
          total_pages: Type.Integer(),
          total_count: Type.Integer(),
        }),
      ]),
    ),
  ],
});
