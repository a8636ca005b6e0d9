import { decisive, tolerant, Type, wholeSeconds, type Static } from './schema.ts';
import { defineEndpoint } from './endpoint.ts';
import { commonErrors, environmentNotFound, flowNotFound } from './errors.ts';
import { environmentName, orgName } from './names.ts';
import { pageQuery } from './paging.ts';

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
        description: 'Whether a policy judged the snapshot. If false, `compliant` is false and says nothing.',
      }),
    ),
  ),
  duration: Type.Optional(wholeSeconds('Seconds.')),
});

/** A snapshot in a list. */
export type SnapshotEntry = Static<typeof snapshotEntry>;

/** Operation 12: list the snapshots of an environment. */
export const listSnapshots = defineEndpoint({
  operation: 'list-snapshots',
  number: 12,
  title: 'List snapshots',
  method: 'GET',
  path: '/snapshots/{org}/{env_name}',
  parameters: Type.Object({ org: orgName, env_name: environmentName }),
  query: Type.Object(
    {
      ...pageQuery,
      interval: Type.Optional(
        Type.String({
          description: 'Two snapshots with `..` in between: `3..7`, `~5..NOW`. `NOW`: the latest. Empty: all.',
        }),
      ),
      reverse: Type.Optional(Type.Boolean({ description: 'The oldest first instead of the newest. Default: false.' })),
    },
    { additionalProperties: false },
  ),
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'The snapshots of the page.', schema: Type.Array(snapshotEntry) }],
  errors: [commonErrors.validation, commonErrors.unauthenticated, commonErrors.forbidden, flowNotFound],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the query names of the interval and the order',
      choice: '`interval` and `reverse`',
      source: 'observed on the wire',
    },
    {
      subject: '`from` and `to` after the clock was set forward or back',
      choice: 'as the clock showed them; a snapshot never ends before it begins, and no `duration` is negative',
      source: 'a recorded time is not changed afterwards',
    },
    {
      subject: 'the end of the current snapshot',
      choice: '`to` is 0, and `duration` counts to now',
      source: 'recorded from a real service',
    },
    {
      subject: 'the verdict of an environment without policies',
      choice:
        '`compliant` is false, and `judged`, a field of this service, is false, too: to the action that is incomplete, and without `judged` it is non-compliant',
      source: 'the interface has a boolean, and the public client fails at null',
    },
    {
      subject: 'which order is the usual one',
      choice: 'the newest first; `reverse` gives the oldest first',
      source: 'a reader wants the latest',
    },
    {
      subject: 'pages while snapshots are added',
      choice:
        'an interval of numbers such as `1..20`, or the oldest first, loses and doubles nothing; the newest first move on',
      source: 'the numbers of snapshots do not change',
    },
    {
      subject: 'the ends of an interval',
      choice:
        'both are part of it, and it is cut to the snapshots that there are; one that ends before it begins is refused',
      source: 'a walk may ask for more than there is',
    },
    {
      subject: 'an interval of one end',
      choice: '`NOW` by itself is the latest snapshot; any other is refused',
      source: 'the public client sends it',
    },
    {
      subject: 'the words for an environment that does not exist',
      choice: '`Flow not found`, with `errors` that name the environment',
      source: 'the interface shows these words for this operation',
    },
  ],
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
  pods: Type.Optional(Type.Array(Type.String())),
});

/** An artifact in a difference. */
export type DifferingArtifact = Static<typeof differingArtifact>;

const differencePart = Type.Object({
  snapshot_id: Type.Optional(Type.String()),
  artifacts: Type.Array(differingArtifact),
});

/** What differs between two snapshots (interface, Environment diff). */
export const environmentDifference = Type.Object({
  snappish1: differencePart,
  snappish2: differencePart,
  changed: differencePart,
  'not-changed': differencePart,
});

/** What differs between two snapshots. */
export type EnvironmentDifference = Static<typeof environmentDifference>;

/** The answer to an expression that selects no snapshot. */
export const badSnapshotExpression = {
  status: 400,
  message: "Bad snappish '{expression}': {reason}",
  when: 'An expression is malformed, or there is no such snapshot.',
} as const;

/** Operation 11: what differs between two snapshots. */
export const diffEnvironments = defineEndpoint({
  operation: 'diff-environments',
  number: 11,
  title: 'Get environment diff',
  method: 'GET',
  path: '/env-diff/{org}',
  parameters: Type.Object({ org: orgName }),
  query: Type.Object(
    {
      snappish1: Type.String({ minLength: 1, description: 'Selects snapshot 1: `prod#3`, `prod~1`, `prod1`, `prod`.' }),
      snappish2: Type.String({ minLength: 1, description: 'Selects snapshot 2.' }),
    },
    { additionalProperties: false },
  ),
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  success: [{ status: 200, description: 'What differs.', schema: environmentDifference }],
  errors: [
    commonErrors.validation,
    badSnapshotExpression,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    environmentNotFound,
  ],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the query names of the two expressions',
      choice: '`snappish1` and `snappish2`',
      source: 'observed on the wire, and the keys of the answer',
    },
    {
      subject: 'which artifacts are the same',
      choice: 'those of one name and fingerprint',
      source: 'a fingerprint under another name is something that changed',
    },
    {
      subject: 'what `changed` and `not-changed` hold',
      choice: 'what is in both snapshots, with another number of instances or as many, shown as snapshot 2 has it',
      source: 'the interface has a count for each snapshot',
    },
    {
      subject: 'which entries have which counts',
      choice: '`s1_instance_count` and `s2_instance_count` in `changed`, and `instance_count` everywhere else',
      source: 'the two counts differ in `changed` only; everywhere else one number says it all',
    },
    {
      subject: 'what the difference between a snapshot and itself is',
      choice: 'all that it shows, under `not-changed`; so the action reads which artifacts a snapshot has',
      source: 'no operation lists the artifacts of a snapshot',
    },
    {
      subject: 'the form of `snapshot_id`',
      choice: '`<env>#N`',
      source: 'it can be used as an expression',
    },
    {
      subject: '`flow` and `commit_url` of an artifact that no flow knows',
      choice: 'left out',
      source: 'there are none, and the interface has strings',
    },
    {
      subject: '`envN` where an environment of that very name exists',
      choice: 'the name wins: it is the latest snapshot of `envN`',
      source: 'the shorter reading could never reach such an environment',
    },
    {
      subject: 'expressions beyond the three of the interface',
      choice: '`env~N` as `envN`, and `env@{…}` for the snapshot at a time: ISO 8601, or `2.hours.ago`',
      source: 'observed on the wire',
    },
    {
      subject: 'the snapshot at a time, after the clock was set forward or back',
      choice: 'the last one, by number, that was made by then; a time that other times contradict is not believed',
      source: 'the numbers give the order of snapshots, whatever the clock showed',
    },
  ],
});
