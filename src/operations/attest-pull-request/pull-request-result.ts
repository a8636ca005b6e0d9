import { pullRequestKind } from '../../contract/attestations/pull-request.ts';
import type { PullRequestOfCommit } from '../../evidence/pull-requests/gather-pull-requests.ts';
import { attestationEvidence, attestationFacts, recordedSentence } from '../attest/attestation-report.ts';
import type { Attested, GatheredEvidence } from '../attest/define-attest-operation.ts';
import type { OperationResult } from '../operation.ts';
import { abbreviate, link, listTable, plain, type Table, type Text } from '../report.ts';
import { pluralize } from '../sentences.ts';

/** The pull requests of the commit, and how many approvals the step requires. */
export interface GatheredPullRequests extends GatheredEvidence {
  readonly found: readonly PullRequestOfCommit[];
  readonly minimumApprovals: number;
}

/**
 * The result for the pull requests of a commit. The minimum of approvals is a rule of the step: the service's verdict
 * needs only a pull request.
 */
export function createPullRequestResult(attested: Attested<GatheredPullRequests>): OperationResult {
  const { commit, attestationName, gathered, response } = attested;
  const { found } = gathered;
  const records = found.map(({ record }) => record);
  const judged = pullRequestKind.judge({
    attestation_name: attestationName,
    git_provider: 'github',
    pull_requests: records,
  });
  const missing = found.length === 0 ? undefined : describeMissingApprovals(gathered);
  const { verdict, reason } = missing === undefined ? judged : { verdict: 'non-compliant' as const, reason: missing };
  return {
    outcome: verdict,
    conclusion: `Commit ${abbreviate(commit.sha1)} is ${verdict}: ${reason}.${recordedSentence('The pull requests are', attested)}`,
    response,
    htmlUrl: records[0]?.url,
    commits: [commit.sha1],
    report: {
      subject: `Pull requests of commit ${abbreviate(commit.sha1)}`,
      facts: attestationFacts(attested),
      evidence: attestationEvidence(attested, verdict, { href: records[0]?.url }),
      tables: pullRequestTable(found),
    },
  };
}

/** Why no pull request has enough approvals; undefined if one has. */
function describeMissingApprovals({ found, minimumApprovals }: GatheredPullRequests): string | undefined {
  const most = Math.max(...found.map(({ approvals }) => approvals.length));
  if (most >= minimumApprovals) return undefined;
  return `it has ${pluralize(most, 'approval')} by others than its authors, and \`minimum-approvals\` requires ${minimumApprovals}`;
}

function pullRequestTable(found: readonly PullRequestOfCommit[]): readonly Table[] {
  const rows = found.map(({ number, record, approvals }): readonly Text[] => [
    link(`#${number}`, record.url),
    plain(record.title ?? ''),
    plain(record.state),
    plain(record.author ?? ''),
    plain(approvals.map(({ username }) => username).join(', ')),
  ]);
  return listTable('Pull requests', ['Number', 'Title', 'State', 'Author', 'Approved by others'], rows);
}
