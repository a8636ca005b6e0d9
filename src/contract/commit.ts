import { maximumMessageLength } from './limits.ts';
import { commitSha } from './names.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { addressText, lineText, longText } from './text-fields.ts';

/** What is known about a commit (interface, `git_commit_info` of the Sonar attestation and of the artifact). */
export const gitCommitInfo = strictObject(
  {
    sha1: commitSha,
    author: Type.Optional(lineText({ description: '`Name <email>`.' })),
    branch: Type.Optional(lineText()),
    message: Type.Optional(
      Type.String({ maxLength: maximumMessageLength, description: 'The whole message, body included.' }),
    ),
    timestamp: Type.Optional(
      Type.Integer({ description: 'The author date, in Unix seconds; absent if the commit has no valid date.' }),
    ),
    url: Type.Optional(addressText({ description: "The commit's page." })),
    author_username: Type.Optional(lineText({ description: "The author's name at the provider." })),
    signature_state: Type.Optional(lineText({ description: "The provider's value, for example `VALID`." })),
    parents: Type.Optional(Type.Array(commitSha, { maxItems: 100, description: 'The SHA-1 of each parent.' })),
    verified: Type.Optional(Type.Boolean({ description: "Whether the provider verified the commit's signature." })),
  },
  { description: 'The commit that the evidence is about.' },
);

export type GitCommitInfo = Static<typeof gitCommitInfo>;

/** The first line of a commit message: its subject. */
export function firstLine(message: string | undefined): string | undefined {
  return message?.split('\n', 1)[0];
}

/** A commit in the answers about trails and attestations: the public client requires the time and the texts. */
export const commitResponse = Type.Object({
  sha1: Type.String(),
  author: Type.String(),
  message: Type.String(),
  branch: Type.String(),
  timestamp: Type.Number({ description: 'Unix seconds; 0 if it is unknown.' }),
  url: Type.Optional(Type.String()),
});

/** The repository as a client reports it (observed on the wire; `repo_info` of the stored artifact). */
export const repoInfo = strictObject(
  {
    name: lineText({ description: '`owner/name`.' }),
    url: addressText(),
    id: Type.Optional(lineText()),
    provider: Type.Optional(lineText({ description: 'For example `github`.' })),
    description: Type.Optional(longText()),
    vcs_instance: Type.Optional(lineText()),
    short_name: Type.Optional(lineText()),
    namespace_path: Type.Optional(Type.Array(lineText())),
    additional_info: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { description: 'The repository that the evidence comes from.' },
);

export type RepoInfo = Static<typeof repoInfo>;
