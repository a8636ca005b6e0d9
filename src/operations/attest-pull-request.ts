import { ruleDataKey } from '../contract/attestations/attestation-fields.ts';
import { type ApprovalRule, pullRequestKind } from '../contract/attestations/pull-request.ts';
import { type ApprovalShortage, findApprovalShortage } from '../evidence/pull-requests/approval-shortage.ts';
import { createPushAccess } from '../evidence/pull-requests/push-access.ts';
import { defineAttestOperation } from './attest/define-attest-operation.ts';
import { requireGitHub } from './connect-github.ts';
import { withDefault } from './inputs/input.ts';
import { integer } from './inputs/input-types.ts';
import { abbreviate, link, listTable, plain, type Text } from './report.ts';
import { summarizeList, withoutFullStop } from './sentences.ts';

/** Records the pull requests of a commit, with their approvals. */
export const attestPullRequest = defineAttestOperation({
  kind: pullRequestKind,
  defaultName: 'pull-request',
  inputs: {
    /** How many approvals by others a pull request must have. It decides a gate, so it has no environment fallback. */
    minimumApprovals: withDefault(integer('minimum-approvals', 0, 100, 'approvals'), 0),
  },
  reservedKeys: [ruleDataKey],
  gatherTitle: 'Collect the pull requests',
  async gather(values, { info }, { job, call }) {
    const need = { wanted: 'the pull requests', permissions: 'contents: read, pull-requests: read' };
    const api = requireGitHub(values.githubToken, { job, call }, need);
    // Only this operation needs it.
    const { gatherPullRequests } = await import('../evidence/pull-requests/gather-pull-requests.ts');
    const query = { sha: info.sha1, job, redact: values.redactCommitInfo, log: call.log };
    const found = await gatherPullRequests(query, api);
    const minimum = values.minimumApprovals;
    const shortage = await findApprovalShortage(found, minimum, createPushAccess(api));
    const rule: ApprovalRule = { minimum_approvals: minimum, approvals: shortage?.counted ?? minimum };
    return { found, shortage, ...(minimum === 0 ? {} : { data: { [ruleDataKey]: rule } }) };
  },
  toDocument: (common, { found }) => ({
    ...common,
    git_provider: 'github',
    pull_requests: found.map(({ record }) => record),
  }),
  present({ found, shortage }, { commit }) {
    const rows = found.map(({ number, record, approvals }): readonly Text[] => [
      link(`#${number}`, record.url),
      plain(record.title ?? ''),
      plain(record.state),
      plain(record.author ?? ''),
      plain(approvals.map(({ username }) => username).join(', ')),
    ]);
    return {
      subject: `Pull requests of commit ${abbreviate(commit.sha1)}`,
      href: found[0]?.record.url,
      notes: shortage === undefined ? [] : describeUncounted(shortage),
      tables: listTable('Pull requests', ['Number', 'Title', 'State', 'Author', 'Approved by others'], rows),
    };
  },
});

/** The maximum number of people to name in a sentence. */
const maximumNames = 5;

/** Which approvals do not count, and why. */
function describeUncounted({ cannotPush, unknown }: ApprovalShortage): readonly string[] {
  const nameFirst = (usernames: readonly string[]) => summarizeList(usernames, maximumNames, { separator: ', ' });
  const [first] = unknown;
  return [
    ...(cannotPush.length === 0
      ? []
      : [`Approvals by ${nameFirst(cannotPush)} do not count, because they have no write access.`]),
    ...(first === undefined
      ? []
      : [
          `Approvals by ${nameFirst(unknown.map(({ username }) => username))} do not count, because GitHub's API did not say whether they have write access: ${withoutFullStop(first.why)}.`,
        ]),
  ];
}
