import { conforms } from '../../contract/check.ts';
import { commitSha } from '../../contract/names.ts';
import { type Static, type TSchema, Type } from '../../contract/schema.ts';
import type { DeploymentSubject, GithubRepository } from './answer.ts';

/** What an event of GitHub asks for. */
export type GithubEvent = { readonly installationId: number } & (
  | {
      readonly type: 'commit';
      readonly repository: GithubRepository;
      readonly sha: string;
      /** Whether somebody asked to check it again. */
      readonly again: boolean;
    }
  | {
      readonly type: 'deployment';
      readonly repository: GithubRepository;
      readonly subject: DeploymentSubject;
    }
  | { readonly type: 'repository renamed'; readonly repository: GithubRepository }
  | { readonly type: 'installation resumed' }
);

const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const installation = Type.Object({ id });
const installedPayload = Type.Object({
  installation,
  repository: Type.Object({
    id,
    full_name: Type.String({ pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$', maxLength: 300 }),
  }),
});
const { properties: installed } = installedPayload;
const commitOfApp = Type.Object({ head_sha: commitSha, app: Type.Object({ id }) });

const deploymentRule = Type.Object({
  ...installed,
  action: Type.Literal('requested'),
  environment: Type.String({ minLength: 1, maxLength: 255 }),
  deployment_callback_url: Type.String({ maxLength: 2000 }),
  deployment: Type.Object({ id, sha: commitSha }),
});

type Installed = Static<typeof installedPayload>;

type EventReader = (payload: unknown, appId: number) => GithubEvent | undefined;

function readPayload<Schema extends TSchema>(
  schema: Schema,
  read: (payload: Static<Schema>, appId: number) => GithubEvent | undefined,
): EventReader {
  return (payload, appId) => (conforms(schema, payload) ? read(payload, appId) : undefined);
}

const rerequested = { ...installed, action: Type.Literal('rerequested') };

/** By the name of the event. Pushes have none, because a pull request has events of its own. */
const eventReaders: ReadonlyMap<string, EventReader> = new Map([
  [
    'pull_request',
    readPayload(
      Type.Object({
        ...installed,
        action: Type.Enum(['opened', 'synchronize', 'reopened'] as const),
        pull_request: Type.Object({ head: Type.Object({ sha: commitSha }) }),
      }),
      (payload) => toCommitEvent(payload, payload.pull_request.head.sha),
    ),
  ],
  [
    'merge_group',
    readPayload(
      Type.Object({
        ...installed,
        action: Type.Literal('checks_requested'),
        merge_group: Type.Object({ head_sha: commitSha }),
      }),
      (payload) => toCommitEvent(payload, payload.merge_group.head_sha),
    ),
  ],
  [
    'check_suite',
    readPayload(Type.Object({ ...rerequested, check_suite: commitOfApp }), (payload, appId) =>
      toRepeatedEvent(payload, payload.check_suite, appId),
    ),
  ],
  [
    'check_run',
    readPayload(Type.Object({ ...rerequested, check_run: commitOfApp }), (payload, appId) =>
      toRepeatedEvent(payload, payload.check_run, appId),
    ),
  ],
  ['deployment_protection_rule', readPayload(deploymentRule, toDeploymentEvent)],
  [
    'repository',
    readPayload(Type.Object({ ...installed, action: Type.Enum(['renamed', 'transferred'] as const) }), (payload) => ({
      type: 'repository renamed',
      ...toOrigin(payload),
    })),
  ],
  [
    'installation',
    readPayload(Type.Object({ installation, action: Type.Literal('unsuspend') }), (payload) => ({
      type: 'installation resumed',
      installationId: payload.installation.id,
    })),
  ],
]);

/**
 * Reads what an event of GitHub asks for; undefined if the service need do nothing, or the event is not as GitHub
 * documents it.
 *
 * @param name the event in the header `X-GitHub-Event`
 * @param appId the service's app; checks of other apps are ignored
 */
export function readGithubEvent(name: string, payload: unknown, appId: number): GithubEvent | undefined {
  return eventReaders.get(name)?.(payload, appId);
}

function toOrigin({ installation: { id: installationId }, repository }: Installed): {
  readonly installationId: number;
  readonly repository: GithubRepository;
} {
  return { installationId, repository: { id: String(repository.id), name: repository.full_name } };
}

function toCommitEvent(payload: Installed, sha: string, again = false): GithubEvent {
  return { type: 'commit', ...toOrigin(payload), sha, again };
}

function toRepeatedEvent(
  payload: Installed,
  { head_sha: sha, app }: Static<typeof commitOfApp>,
  appId: number,
): GithubEvent | undefined {
  return app.id === appId ? toCommitEvent(payload, sha, true) : undefined;
}

/** The run in the address of a callback, which is read for nothing else: it could lead anywhere. */
const callbackPath = /\/actions\/runs\/(?<run>[1-9]\d{0,15})\/deployment_protection_rule$/u;

function toDeploymentEvent(payload: Static<typeof deploymentRule>): GithubEvent | undefined {
  const { environment, deployment, deployment_callback_url: callback } = payload;
  const run = callbackPath.exec(URL.parse(callback)?.pathname ?? '')?.groups?.['run'];
  if (run === undefined) return undefined;
  const { id: deploymentId, sha } = deployment;
  const subject = { kind: 'deployment', sha, runId: Number(run), environment, deploymentId } as const;
  return { type: 'deployment', ...toOrigin(payload), subject };
}
