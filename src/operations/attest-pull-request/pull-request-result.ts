import { pullRequestKind } from '../../contract/attestations/pull-request.ts';
import type { ApprovalShortage } from '../../evidence/pull-requests/approval-shortage.ts';
import type { PullRequestOfCommit } from '../../evidence/pull-requests/gather-pull-requests.ts';
import { attestationEvidence, attestationFacts, recordedSentence } from '../attest/attestation-report.ts';
import type { Attested, GatheredEvidence } from '../attest/define-attest-operation.ts';
import type { OperationResult } from '../operation.ts';
import { abbreviate, link, listTable, plain, type Table, type Text } from '../report.ts';
import { pluralize, summarizeList } from '../sentences.ts';

/** The pull requests of the commit, and how many approvals the step requires. */
export interface GatheredPullRequests extends GatheredEvidence {
  readonly found: readonly PullRequestOfCommit[];
  readonly minimumApprovals: number;
  /** Undefined if a pull request has enough approvals. */
  readonly shortage: ApprovalShortage | undefined;
}

/** The result for the pull requests of a commit. */
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

/** The maximum number of people to name in a sentence. */
const maximumNames = 5;

/** Why no pull request has enough approvals; undefined if one has. */
function describeMissingApprovals({ shortage, minimumApprovals }: GatheredPullRequests): string | undefined {
  if (shortage === undefined) return undefined;
  const { counted, cannotPush, unknown } = shortage;
  const uncounted = [...describeCannotPush(cannotPush), ...describeUnknown(unknown)];
  const access = uncounted.length > 0 ? ' with write access' : '';
  const approvals = pluralize(counted, 'approval');
  const missing = `it has ${approvals} by others than its authors${access}, and \`minimum-approvals\` requires ${minimumApprovals}`;
  return [missing, ...uncounted].join('; ');
}

function describeCannotPush(usernames: ApprovalShortage['cannotPush']): readonly string[] {
  if (usernames.length === 0) return [];
  return [`approvals by ${nameFirst(usernames)} do not count, because they have no write access`];
}

function describeUnknown(unknown: ApprovalShortage['unknown']): readonly string[] {
  const [first] = unknown;
  if (first === undefined) return [];
  const names = nameFirst(unknown.map(({ username }) => username));
  return [
    `approvals by ${names} do not count, because GitHub's API did not say whether they have write access: ${first.why}`,
  ];
}

function nameFirst(usernames: readonly string[]): string {
  return summarizeList(usernames, maximumNames, { separator: ', ' });
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
