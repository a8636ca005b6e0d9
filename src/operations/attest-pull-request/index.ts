import { ruleDataKey } from '../../contract/attestations/attestation-fields.ts';
import { pullRequestKind, type ApprovalRule } from '../../contract/attestations/pull-request.ts';
import { findApprovalShortage } from '../../evidence/pull-requests/approval-shortage.ts';
import { createPushAccess } from '../../evidence/pull-requests/push-access.ts';
import { defineAttestOperation } from '../attest/define-attest-operation.ts';
import { requireGitHub } from '../connect-github.ts';
import { minimumApprovals } from '../inputs/evidence-inputs.ts';
import { withDefault } from '../inputs/input.ts';
import { presentPullRequests, type GatheredPullRequests } from './pull-request-result.ts';

/** Records the pull requests of a commit, with their approvals. */
export const attestPullRequest = defineAttestOperation({
  kind: pullRequestKind,
  defaultName: 'pull-request',
  inputs: { minimumApprovals: withDefault(minimumApprovals, 0) },
  reservedKeys: [ruleDataKey],
  gatherTitle: 'Collect the pull requests',
  async gather(values, { info }, { job, call }): Promise<GatheredPullRequests> {
    const need = { wanted: 'the pull requests', permissions: 'contents: read, pull-requests: read' };
    const api = requireGitHub(values.githubToken, { job, call }, need);
    // Only this operation needs it.
    const { gatherPullRequests } = await import('../../evidence/pull-requests/gather-pull-requests.ts');
    const query = { sha: info.sha1, job, redact: values.redactCommitInfo, log: call.log };
    const found = await gatherPullRequests(query, api);
    const minimum = values.minimumApprovals;
    const shortage = await findApprovalShortage(found, minimum, createPushAccess(api));
    if (minimum === 0) return { found, shortage };
    const rule: ApprovalRule = { minimum_approvals: minimum, approvals: shortage?.counted ?? minimum };
    return { found, shortage, data: { [ruleDataKey]: rule } };
  },
  toDocument: (common, { found }) => ({
    ...common,
    git_provider: 'github',
    pull_requests: found.map(({ record }) => record),
  }),
  present: (gathered, { commit }) => presentPullRequests(gathered, commit.sha1),
});
