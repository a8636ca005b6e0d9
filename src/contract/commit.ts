import { Type, type Static } from './schema.ts';
import { commitSha } from './names.ts';

/** What is known of a commit (interface, Sonar attestation JSON part, `git_commit_info`). */
export const gitCommitInfo = Type.Object(
  {
    sha1: commitSha,
    author: Type.Optional(Type.String({ description: '`Name <email>`.' })),
    branch: Type.Optional(Type.String()),
    message: Type.Optional(Type.String({ description: 'The whole message, body included.' })),
    timestamp: Type.Optional(
      Type.Integer({ description: 'The author date, in Unix seconds; absent if the commit has no valid date.' }),
    ),
    url: Type.Optional(Type.String({ description: "The commit's page." })),
  },
  { additionalProperties: false, description: 'The commit that the evidence is about.' },
);

/** What is known of a commit. */
export type GitCommitInfo = Static<typeof gitCommitInfo>;

/** The repository as a client reports it (observed on the wire; `repo_info` of the stored artifact). */
export const repoInfo = Type.Object(
  {
    name: Type.String({ description: '`owner/name`.' }),
    url: Type.String(),
    id: Type.Optional(Type.String()),
    provider: Type.Optional(Type.String({ description: 'For example `github`.' })),
    description: Type.Optional(Type.String()),
    vcs_instance: Type.Optional(Type.String()),
    short_name: Type.Optional(Type.String()),
    namespace_path: Type.Optional(Type.Array(Type.String())),
    additional_info: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false, description: 'The repository that the evidence comes from.' },
);

/** The repository as a client reports it. */
export type RepoInfo = Static<typeof repoInfo>;
