import { decisive, tolerant, Type, wholeSeconds, type Static } from './schema.ts';
import { defineEndpoint } from './endpoint.ts';
import { commonErrors, environmentNotFound, flowNotFound, noSuchSnapshot } from './errors.ts';
import { environmentName, orgName } from './names.ts';
import { pageQuery } from './paging.ts';
import { reasons } from './reason.ts';

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
      subject: 'the query parameters for the interval and the order',
      choice: '`interval` and `reverse`',
      source: 'observed on the wire',
    },
    {
      subject: '`from` and `to` after the clock was set forward or back',
      choice: 'as the clock showed them; a snapshot never ends before it begins, and no `duration` is negative',
      source: 'a recorded time never changes',
    },
    {
      subject: 'the end of the current snapshot',
      choice: '`to` is 0, and `duration` lasts until now',
      source: 'recorded from a real service',
    },
    {
      subject: 'the verdict of an environment without policies',
      choice:
        '`compliant` is false, and so is `judged`, a field of this service; the action reports that as incomplete, or as non-compliant if `judged` is missing',
      source: 'the interface has a boolean, and the public client fails on null',
    },
    {
      subject: 'the default order',
      choice: 'the newest first; with `reverse`, the oldest first',
      source: 'readers want the latest',
    },
    {
      subject: 'pages while snapshots are added',
      choice:
        'an interval of numbers such as `1..20`, or the oldest first, skips and repeats nothing; with the newest first, entries move to later pages',
      source: 'the numbers of snapshots do not change',
    },
    {
      subject: 'the ends of an interval',
      choice:
        'both are included, and the interval is cut to the snapshots that exist; one that ends before it begins is rejected',
      source: 'a client may ask for more snapshots than exist',
    },
    {
      subject: 'an interval that names the environment',
      choice: '`prod#2..prod#4` is `#2..#4`; 400 if it names another environment than the path',
      source: 'the interface makes an interval of two snapshot expressions, which contain the name',
    },
    {
      subject: 'an interval with one end',
      choice: '`NOW` by itself is the latest snapshot; anything else is rejected',
      source: 'the public client sends it',
    },
    {
      subject: 'the message for an environment that does not exist',
      choice: "`Flow not found`; `errors` names the environment in the public client's words",
      source: 'the interface shows this message for this operation',
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

/** The difference between two snapshots (interface, Environment diff). */
export const environmentDifference = Type.Object({
  snappish1: differencePart,
  snappish2: differencePart,
  changed: differencePart,
  'not-changed': differencePart,
});

/** The difference between two snapshots. */
export type EnvironmentDifference = Static<typeof environmentDifference>;

/** The response to an expression that cannot be used. */
export const badSnapshotExpression = {
  status: 400,
  message: "Bad snappish '{expression}': {reason}",
  when: 'An expression is malformed, or the snapshot is too large to be compared.',
} as const;

/** Operation 11: get the difference between two snapshots. */
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
  success: [{ status: 200, description: 'The difference.', schema: environmentDifference }],
  errors: [
    commonErrors.validation,
    badSnapshotExpression,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    environmentNotFound,
    noSuchSnapshot,
  ],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the query parameters for the two expressions',
      choice: '`snappish1` and `snappish2`',
      source: 'observed on the wire, and the keys of the response',
    },
    {
      subject: 'which artifacts are the same',
      choice: 'those with the same name and fingerprint',
      source: 'a fingerprint under another name is a change',
    },
    {
      subject: 'what `changed` and `not-changed` contain',
      choice: 'artifacts in both snapshots, with different and equal numbers of instances, as snapshot 2 shows them',
      source: 'the interface has a count for each snapshot',
    },
    {
      subject: '`instance_count`',
      choice:
        'the number of instances in the snapshot that shows the artifact: snapshot 1 in `snappish1`, else snapshot 2; the other two counts are 0 if the artifact does not run in that snapshot',
      source: 'the interface has all three counts for every artifact',
    },
    {
      subject: 'the difference between a snapshot and itself',
      choice: 'everything in it, under `not-changed`; this is how the action lists the artifacts of a snapshot',
      source: 'no operation lists the artifacts of a snapshot',
    },
    {
      subject: 'the form of `snapshot_id`',
      choice: '`<env>#N`',
      source: 'it can be used as an expression',
    },
    {
      subject: '`flow` and `commit_url` of an artifact that no flow contains',
      choice: 'empty, also if the key may not read the flow',
      source: 'there are none, and the interface has strings',
    },
    {
      subject: '`envN` if an environment with exactly that name exists',
      choice: 'the name takes precedence: it is the latest snapshot of `envN`',
      source: 'otherwise such an environment could not be selected',
    },
    {
      subject: 'expressions beyond the three of the interface',
      choice: '`env~N` as `envN`, and `env@{…}` for the snapshot at a time: ISO 8601, or `2.hours.ago`',
      source: 'observed on the wire',
    },
    {
      subject: 'the snapshot at a time, after the clock was set forward or back',
      choice:
        'the one with the highest number that existed at that time; a time that the times of other snapshots contradict is ignored',
      source: 'the numbers give the order of snapshots, whatever the clock showed',
    },
  ],
});
