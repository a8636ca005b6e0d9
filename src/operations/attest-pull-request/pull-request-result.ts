import type { ApprovalShortage } from '../../evidence/pull-requests/approval-shortage.ts';
import type { PullRequestOfCommit } from '../../evidence/pull-requests/gather-pull-requests.ts';
import type { EvidencePresentation } from '../attest/attestation-report.ts';
import type { GatheredEvidence } from '../attest/define-attest-operation.ts';
import { abbreviate, link, listTable, plain, type Table, type Text } from '../report.ts';
import { summarizeList, withoutFullStop } from '../sentences.ts';

/** The pull requests of the commit. */
export interface GatheredPullRequests extends GatheredEvidence {
  readonly found: readonly PullRequestOfCommit[];
  /** Undefined if a pull request has enough approvals. */
  readonly shortage: ApprovalShortage | undefined;
}

/** The pull requests, and which approvals do not count. */
export function presentPullRequests({ found, shortage }: GatheredPullRequests, sha: string): EvidencePresentation {
  return {
    subject: `Pull requests of commit ${abbreviate(sha)}`,
    href: found[0]?.record.url,
    notes: shortage === undefined ? [] : describeUncounted(shortage),
    tables: pullRequestTable(found),
  };
}

/** The maximum number of people to name in a sentence. */
const maximumNames = 5;

/** Which approvals do not count, and why. */
function describeUncounted({ cannotPush, unknown }: ApprovalShortage): readonly string[] {
  return [...describeCannotPush(cannotPush), ...describeUnknown(unknown)];
}

function describeCannotPush(usernames: ApprovalShortage['cannotPush']): readonly string[] {
  if (usernames.length === 0) return [];
  return [`Approvals by ${nameFirst(usernames)} do not count, because they have no write access.`];
}

function describeUnknown(unknown: ApprovalShortage['unknown']): readonly string[] {
  const [first] = unknown;
  if (first === undefined) return [];
  const names = nameFirst(unknown.map(({ username }) => username));
  return [
    `Approvals by ${names} do not count, because GitHub's API did not say whether they have write access: ${withoutFullStop(first.why)}.`,
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
