import { maximumMessageLength } from '../limits.ts';
import { commitSha } from '../names.ts';
import { type Static, strictObject, Type } from '../schema.ts';
import { addressText, lineText, longText } from '../text-fields.ts';
import { attestationDocument } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';
import { judgeUnreadableRule, readRule } from './step-rule.ts';

/** Someone who approved a pull request: a name, or a name with the state and the time of the review. */
export const approver = Type.Union([
  lineText(),
  strictObject({
    username: lineText(),
    state: Type.Optional(lineText({ description: "The provider's value, for example `APPROVED`." })),
    timestamp: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
  }),
]);

export const pullRequestCommit = strictObject({
  sha1: commitSha,
  message: Type.String({ maxLength: maximumMessageLength }),
  author: lineText({ description: '`Name <email>`.' }),
  author_username: Type.Optional(lineText()),
  timestamp: Type.Number({ description: 'Unix seconds.' }),
  branch: lineText(),
  url: Type.Optional(addressText()),
  verified: Type.Optional(Type.Boolean()),
  signature_state: Type.Optional(lineText()),
});

/** A pull request (observed on the wire, `pull_requests`). */
export const pullRequest = strictObject({
  merge_commit: lineText({ description: 'Empty for a pull request that is not merged.' }),
  url: addressText(),
  state: lineText({ description: "The provider's value, for example `MERGED`." }),
  approvers: Type.Union([Type.Array(approver), Type.Null()], {
    description: 'Null, as the public client sends it for some providers: nobody.',
  }),
  author: Type.Optional(lineText()),
  created_at: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
  merged_at: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
  title: Type.Optional(longText()),
  head_ref: Type.Optional(lineText()),
  base_ref: Type.Optional(lineText()),
  commits: Type.Array(pullRequestCommit),
});

export type PullRequest = Static<typeof pullRequest>;

/** How many commits of a pull request GitHub lists at most (its documentation, "List commits on a pull request"). */
const maximumListedCommits = 250;

/** Whether a list of this many commits may lack some, and so some authors. */
export function mayLackCommits(count: number): boolean {
  return count >= maximumListedCommits;
}

/** The JSON part of a pull request attestation (observed on the wire). */
export const pullRequestAttestation = attestationDocument({
  git_provider: lineText({ description: 'For example `github`.' }),
  pull_requests: Type.Array(pullRequest),
});

export type PullRequestAttestation = Static<typeof pullRequestAttestation>;

/** The rule of a step that records pull requests. */
const approvalRule = strictObject({
  minimum_approvals: Type.Integer({ minimum: 0 }),
  approvals: Type.Integer({
    minimum: 0,
    description:
      'Those that the step counted: by others than the authors and, if there are enough of them, with write access. It stops at the minimum.',
  }),
});

export type ApprovalRule = Static<typeof approvalRule>;

/** A commit is compliant if it came through a pull request, and has the approvals that the step required. */
function judge(attestation: PullRequestAttestation): AttestationJudgement {
  const { pull_requests: found } = attestation;
  if (found.length === 0) {
    const reason = 'the commit belongs to no pull request';
    return { verdict: 'non-compliant', reason, faults: [{ value: reason }] };
  }
  const [first] = found;
  const urls = found.length === 1 ? (first?.url ?? '') : `${found.length} pull requests`;
  const rule = readRule(approvalRule, attestation);
  if (rule === undefined) return { verdict: 'compliant', reason: `the commit belongs to ${urls}`, faults: [] };
  if (rule === 'unreadable') return judgeUnreadableRule('approvals');
  const { minimum_approvals: minimum, approvals } = rule;
  const counted = approvals === 1 ? '1 approval' : `${approvals} approvals`;
  if (approvals >= minimum) {
    return { verdict: 'compliant', reason: `the commit belongs to ${urls}, with ${counted}`, faults: [] };
  }
  const limit = minimum === 1 ? 'at least 1 is required' : `at least ${minimum} are required`;
  return { verdict: 'non-compliant', reason: `${counted}; ${limit}`, faults: [{ value: counted, limit }] };
}

export const pullRequestKind = defineAttestationKind({
  name: 'pull_request',
  operation: 'attest-pull-request',
  title: 'Attest pull requests',
  document: pullRequestAttestation,
  judge,
});
