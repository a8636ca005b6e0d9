import { listAt, type Mapping, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { fullSha } from '../git/git-ref.ts';
import { authorLine, type CommitFacts, parseTimestamp, wholeMessage } from './commit-facts.ts';
import { type SourceResult, userMiss } from './source-result.ts';

/**
 * Reads the commit from the event's payload. Pushes, merge groups, workflow runs and check suites contain the commit;
 * pull requests contain only its SHA. GitHub documents the date only as "the timestamp of the commit", so it is used as
 * the author date and as the committer date.
 */
export function readCommitFromPayload(event: Mapping, sha: string): SourceResult<CommitFacts> {
  for (const described of describedCommits(event)) {
    const facts = commitFacts(described, sha);
    if (facts !== undefined) return { found: facts };
  }
  return userMiss('it does not describe the commit', 'Or set `github-token`, so that GitHub can be asked.');
}

function describedCommits(event: Mapping): readonly unknown[] {
  return [
    valueAt(event, 'head_commit'),
    ...listAt(event, 'commits'),
    valueAt(event, 'merge_group', 'head_commit'),
    valueAt(event, 'workflow_run', 'head_commit'),
    valueAt(event, 'check_suite', 'head_commit'),
  ];
}

/** Undefined if it is another commit or its description is incomplete. */
function commitFacts(described: unknown, sha: string): CommitFacts | undefined {
  if (fullSha(valueAt(described, 'id')) !== sha) return undefined;
  const message = valueAt(described, 'message');
  const timestamp = parseTimestamp(textAt(described, 'timestamp') ?? '');
  const author = authorLine(textAt(described, 'author', 'name') ?? '', textAt(described, 'author', 'email') ?? '');
  if (typeof message !== 'string' || timestamp === undefined || author === '') return undefined;
  return { sha, author, message: wholeMessage(message), timestamp, committerTimestamp: timestamp };
}
