import { commitSha } from '../names.ts';
import { Type, type Static } from '../schema.ts';
import { addressText, lineText, longText } from '../text-fields.ts';
import { maximumMessageLength } from '../limits.ts';
import { attestationDocument } from './attestation-fields.ts';
import { defineAttestationKind, type AttestationJudgement } from './attestation-kind.ts';

/** Someone who approved a pull request: a name, or a name with the state and the time of the review. */
export const approver = Type.Union([
  lineText(),
  Type.Object(
    {
      username: lineText(),
      state: Type.Optional(lineText({ description: "The provider's value, for example `APPROVED`." })),
      timestamp: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
    },
    { additionalProperties: false },
  ),
]);

/** A commit of a pull request. */
export const pullRequestCommit = Type.Object(
  {
    sha1: commitSha,
    message: Type.String({ maxLength: maximumMessageLength }),
    author: lineText({ description: '`Name <email>`.' }),
    author_username: Type.Optional(lineText()),
    timestamp: Type.Number({ description: 'Unix seconds.' }),
    branch: lineText(),
    url: Type.Optional(addressText()),
    verified: Type.Optional(Type.Boolean()),
    signature_state: Type.Optional(lineText()),
  },
  { additionalProperties: false },
);

/** A pull request (observed on the wire, `pull_requests`). */
export const pullRequest = Type.Object(
  {
    merge_commit: lineText({ description: 'Empty for a pull request that is not merged.' }),
    url: addressText(),
    state: lineText({ description: "The provider's value, for example `MERGED`." }),
    approvers: Type.Array(approver),
    author: Type.Optional(lineText()),
    created_at: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
    merged_at: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
    title: Type.Optional(longText()),
    head_ref: Type.Optional(lineText()),
    base_ref: Type.Optional(lineText()),
    commits: Type.Array(pullRequestCommit),
  },
  { additionalProperties: false },
);

/** A pull request. */
export type PullRequest = Static<typeof pullRequest>;

/** The JSON part of a pull request attestation (observed on the wire). */
export const pullRequestAttestation = attestationDocument({
  git_provider: lineText({ description: 'For example `github`.' }),
  pull_requests: Type.Array(pullRequest),
});

/** The JSON part of a pull request attestation. */
export type PullRequestAttestation = Static<typeof pullRequestAttestation>;

/** A commit is compliant if it came through a pull request. */
function judge({ pull_requests: found }: PullRequestAttestation): AttestationJudgement {
  if (found.length === 0) return { verdict: 'non-compliant', reason: 'the commit belongs to no pull request' };
  const [first] = found;
  const urls = found.length === 1 ? (first?.url ?? '') : `${found.length} pull requests`;
  return { verdict: 'compliant', reason: `the commit belongs to ${urls}` };
}

/** The pull requests of a commit. */
export const pullRequestKind = defineAttestationKind({
  type: 'pull_request',
  operation: 'attest-pull-request',
  title: 'Attest pull requests',
  document: pullRequestAttestation,
  judge,
  choices: [
    {
      subject: 'the verdict on pull requests',
      choice:
        'compliant with at least one pull request; the number of approvals is a gate of the step, not of the service',
      source: 'the public documentation; a minimum of approvals is a rule of the team',
    },
  ],
});
