import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, namedEnvironmentNotFound } from './errors.ts';
import { pageQuery } from './paging.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { lineText } from './text-fields.ts';

export const environmentLogEntry = Type.Object({
  snapshot_index: Type.Integer({ description: 'The first snapshot that shows it.' }),
  artifact_name: Type.String(),
  sha256: Type.String({ description: 'The fingerprint.' }),
  description: Type.String(),
  pipeline: Type.String({ description: 'The flow of the latest report of the artifact; empty if there is none.' }),
  reported_at: Type.Number({ description: 'Unix seconds.' }),
});

export type EnvironmentLogEntry = Static<typeof environmentLogEntry>;

const end = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }));

export const listEnvironmentEvents = defineEndpoint('GET /environments/{org}/{env_name}/events', {
  origin: 'observed',
  title: 'List environment events',
  query: strictObject({
    ...pageQuery,
    interval: Type.Optional(Type.String({ description: 'As in operation 12: `3..7`, `~5..NOW`, `NOW`.' })),
    reverse: Type.Optional(Type.Boolean({ description: 'The oldest first instead of the newest. Default: false.' })),
    repo_name: Type.Optional(
      Type.Array(lineText(), {
        maxItems: 100,
        description: 'Only artifacts that were reported from these repositories; may be repeated.',
      }),
    ),
    start: end('The first snapshot or time: `3`, `1hour`, `2days`, `NOW`.'),
    end: end('The last snapshot or time, in the same form.'),
    start_ts: Type.Optional(Type.Number({ description: 'The first time, in Unix seconds.' })),
    end_ts: Type.Optional(Type.Number({ description: 'The last time, in Unix seconds.' })),
  }),
  success: [ok('The events of the page.', Type.Array(environmentLogEntry))],
  errors: [...accessErrors, namedEnvironmentNotFound],
});
