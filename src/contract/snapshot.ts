import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, commonErrors, environmentNotFound, flowNotFound, noSuchSnapshot } from './errors.ts';
import { pageQuery } from './paging.ts';
import { reasons } from './reason.ts';
import { decisive, type Static, strictObject, tolerant, Type, wholeSeconds } from './schema.ts';

/** A snapshot in a list (interface, Snapshot). */
export const snapshotEntry = Type.Object({
  index: Type.Integer(),
  from: Type.Optional(wholeSeconds()),
  to: wholeSeconds('Unix seconds; 0 while it is the current one.'),
  compliant: decisive(
    tolerant(
      Type.Optional(Type.Boolean({ description: 'False also if nothing was judged.' })),
      Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    ),
  ),
  judged: decisive(
    Type.Optional(
      Type.Boolean({
        description: 'Whether a policy judged the snapshot. If false, `compliant` is false and has no meaning.',
      }),
    ),
  ),
  duration: Type.Optional(wholeSeconds('Seconds.')),
  reasons: Type.Optional(reasons),
  html_url: Type.Optional(Type.String({ description: 'The page of the snapshot.' })),
});

export type SnapshotEntry = Static<typeof snapshotEntry>;

export const listSnapshots = defineEndpoint('GET /snapshots/{org}/{env_name}', {
  operation: 'list-snapshots',
  number: 12,
  title: 'List snapshots',
  query: strictObject({
    ...pageQuery,
    interval: Type.Optional(
      Type.String({
        description: 'Two snapshots with `..` in between: `3..7`, `~5..NOW`. `NOW`: the latest. Empty: all.',
      }),
    ),
    reverse: Type.Optional(Type.Boolean({ description: 'The oldest first instead of the newest. Default: false.' })),
  }),
  success: [ok('The snapshots of the page.', Type.Array(snapshotEntry))],
  errors: [...accessErrors, flowNotFound],
});

/** An artifact in a difference (interface, Environment diff). */
export const differingArtifact = Type.Object({
  fingerprint: Type.String(),
  name: Type.Optional(Type.String()),
  most_recent_timestamp: Type.Optional(wholeSeconds()),
  flow: Type.Optional(Type.String()),
  commit_url: Type.Optional(Type.String()),
  instance_count: Type.Optional(Type.Integer()),
  s1_instance_count: Type.Optional(Type.Integer()),
  s2_instance_count: Type.Optional(Type.Integer()),
  allowed: Type.Optional(
    Type.Boolean({
      description:
        'Whether it complies only because of an exception or an allow-list, in the latter snapshot that has it.',
    }),
  ),
  pods: Type.Optional(Type.Array(Type.String())),
});

export type DifferingArtifact = Static<typeof differingArtifact>;

const differencePart = Type.Object({
  snapshot_id: Type.Optional(Type.String()),
  artifacts: Type.Array(differingArtifact),
});

/** The difference between two snapshots (interface, Environment diff). */
export const environmentDifference = Type.Object({
  snappish1: differencePart,
  snappish2: differencePart,
  changed: differencePart,
  'not-changed': differencePart,
});

export type EnvironmentDifference = Static<typeof environmentDifference>;

export const badSnapshotExpression = {
  status: 400,
  message: "Bad snappish '{expression}': {reason}",
  when: 'An expression is malformed, or the snapshot is too large to be compared.',
} as const;

export const diffEnvironments = defineEndpoint('GET /env-diff/{org}', {
  operation: 'diff-environments',
  number: 11,
  title: 'Get environment diff',
  query: strictObject({
    snappish1: Type.String({ minLength: 1, description: 'Selects snapshot 1: `prod#3`, `prod~1`, `prod1`, `prod`.' }),
    snappish2: Type.String({ minLength: 1, description: 'Selects snapshot 2.' }),
  }),
  success: [ok('The difference.', environmentDifference)],
  errors: [
    commonErrors.validation,
    badSnapshotExpression,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    environmentNotFound,
    noSuchSnapshot,
  ],
});
