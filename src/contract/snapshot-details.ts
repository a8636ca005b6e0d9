import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, namedEnvironmentNotFound, noSuchSnapshot } from './errors.ts';
import { environmentName, orgName } from './names.ts';
import { reasons } from './reason.ts';
import { type Static, Type } from './schema.ts';

/** A pod of an artifact in a snapshot. */
const runningPod = Type.Object({
  namespace: Type.String(),
  creationTimestamp: Type.Integer({ description: 'Unix seconds.' }),
  owners: Type.Array(Type.Unknown(), { description: 'Empty: owners are not stored.' }),
});

const snapshotArtifact = Type.Object({
  name: Type.String(),
  fingerprint: Type.String(),
  flow_name: Type.String({ description: 'The flow of its latest report; empty if it was never reported.' }),
  git_commit: Type.String({ description: 'Its commit, in full; empty if it was never reported.' }),
  commit_url: Type.String(),
  compliant: Type.Boolean({ description: 'False also if nothing was judged.' }),
  allowed: Type.Boolean({ description: 'Whether it complies only because of an exception or an allow-list.' }),
  deployments: Type.Array(Type.Integer(), { description: 'Empty: deployments are not recorded.' }),
  creationTimestamp: Type.Array(Type.Integer(), { description: 'Of each instance, in Unix seconds; one or more.' }),
  pods: Type.Record(Type.String(), runningPod, { description: 'By name; empty unless the environment is `K8S`.' }),
  annotation: Type.Object({
    type: Type.String({ description: '`started-running`, `scaled` or `unchanged`.' }),
    was: Type.Integer({ description: 'The number of instances in the previous snapshot.' }),
    now: Type.Integer({ description: 'The number of instances, 1 or more.' }),
  }),
});

/** A snapshot with its artifacts. */
export const snapshotDetails = Type.Object({
  index: Type.Integer(),
  environment: Type.String(),
  timestamp: Type.Number({ description: 'When it was made, in Unix seconds.' }),
  type: Type.String({ description: 'The kind of the environment.' }),
  user_id: Type.String(),
  user_name: Type.String(),
  compliant: Type.Boolean({ description: 'False also if nothing was judged.' }),
  judged: Type.Boolean({ description: 'Whether a policy judged the snapshot.' }),
  html_url: Type.String(),
  reasons: Type.Optional(reasons),
  artifacts: Type.Array(snapshotArtifact),
});

export type SnapshotDetailsResponse = Static<typeof snapshotDetails>;

export type SnapshotArtifact = Static<typeof snapshotArtifact>;

export const getSnapshot = defineEndpoint('GET /snapshots/{org}/{env_name}/{snapshot}', {
  origin: 'observed',
  title: 'Get snapshot',
  parameters: Type.Object({
    org: orgName,
    env_name: environmentName,
    snapshot: Type.String({
      pattern: '^(?:[1-9][0-9]{0,8}|-[1-9][0-9]{0,8}|[#~][0-9]{1,9}|@\\{[0-9A-Za-z.:+\\-]{1,64}\\})$',
      description:
        'The number (`3` or `#3`), from the end (`-1` is the latest, and so is `~0`), or at a time: `@{2026-11-20T10:00:00}`, `@{2.hours.ago}`.',
    }),
  }),
  success: [ok('The snapshot.', snapshotDetails)],
  errors: [...accessErrors, namedEnvironmentNotFound, noSuchSnapshot],
});
