import { type Static, Type } from './schema.ts';

/**
 * What the identity token of a workflow run proved about the sender of a record, with the names and values of GitHub's
 * claims (GitHub's documentation, "OpenID Connect reference"). It stands beside what the record says of itself.
 */
export const proven = Type.Object(
  {
    issuer: Type.String({ description: 'Who signed the token: the URL of the token issuer of GitHub or of a GHES.' }),
    subject: Type.String({ description: 'The claim `sub`.' }),
    repository: Type.String({ description: '`owner/name`.' }),
    repository_id: Type.String(),
    repository_owner_id: Type.Optional(Type.String({ description: "The number of the repository's owner." })),
    repository_visibility: Type.Optional(Type.String({ description: '`public`, `private` or `internal`.' })),
    run_id: Type.String(),
    run_attempt: Type.String(),
    event_name: Type.String(),
    ref: Type.String(),
    workflow: Type.Optional(Type.String({ description: "The workflow's name, or its file if it has none." })),
    workflow_ref: Type.Optional(Type.String({ description: "The workflow's file with its ref." })),
    job_workflow_ref: Type.Optional(Type.String({ description: 'The same of the reusable workflow with the job.' })),
    runner_environment: Type.Optional(Type.String({ description: '`github-hosted` or `self-hosted`.' })),
    actor: Type.Optional(Type.String()),
    actor_id: Type.Optional(Type.String()),
    environment: Type.Optional(Type.String({ description: "The job's GitHub environment." })),
    sha: Type.Optional(
      Type.String({
        description: 'The commit of the ref that started the run. Not always the commit that was judged.',
      }),
    ),
    merge_commit: Type.Optional(
      Type.String({
        description:
          'On `pull_request` instead of `sha`: the commit that GitHub made to test the merge, which is not the judged commit.',
      }),
    ),
    head_commit: Type.Optional(
      Type.String({
        description: 'On `pull_request`: the head commit of the run, as GitHub told the GitHub App of the service.',
      }),
    ),
    is_replay: Type.Optional(
      Type.Boolean({
        description:
          'True if this run delivered evidence of an earlier run. What the record says of that run is not proven; the repository is.',
      }),
    ),
  },
  { description: 'What the identity token of the sending run proved. Absent if it was sent with a stored API key.' },
);

export type Proven = Static<typeof proven>;
