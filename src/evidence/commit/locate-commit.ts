import { ExternalError, type Failure, UserError } from '../../runtime/failure.ts';
import type { CommitSources } from './commit-sources.ts';
import type { IntendedCommit } from './event-commit.ts';
import { resolveWithGit } from './git-commit.ts';
import type { JudgedCommit } from './judged-commit.ts';
import { describeMisses, noToken, type SourceMiss, type SourceResult } from './source-result.ts';

/** A commit whose SHA is known. */
export interface LocatedCommit extends IntendedCommit {
  readonly sha: string;
}

/**
 * Finds the SHA of the judged commit. If neither the event nor the input has it, asks GitHub's API for the head of a
 * commented pull request; or git, then GitHub's API, for a branch, tag or abbreviated SHA.
 *
 * @throws UserError if no source is available or none knows the commit; ExternalError if GitHub's API failed
 */
export async function locateCommit(
  judged: JudgedCommit,
  workspace: string | undefined,
  sources: CommitSources,
): Promise<LocatedCommit> {
  const { meaning, branch } = judged;
  switch (judged.kind) {
    case 'commit':
      return { sha: judged.sha, meaning, branch };
    case 'pull-request': {
      const head = (await sources.github?.pullRequestHead(judged.number)) ?? noToken('pull-requests: read');
      if ('miss' in head) throw createUnknownHeadError(judged.number, head.miss);
      return { sha: head.found.sha, meaning, branch: { named: head.found.branch } };
    }
    case 'revision':
      return { sha: await resolveRevision(judged.revision, workspace, sources), meaning, branch };
  }
}

async function resolveRevision(
  revision: string,
  workspace: string | undefined,
  { git, github }: CommitSources,
): Promise<string> {
  const local = await resolveWithGit(git, workspace, revision);
  if ('found' in local) return local.found;
  const remote: SourceResult<{ readonly sha: string }> = (await github?.commit(revision)) ?? noToken('contents: read');
  if ('found' in remote) return remote.found.sha;
  const what = `commit-sha: commit ${revision} was not found. Tried ${describeMisses({ 'git in the workspace': local.miss, "GitHub's API": remote.miss })}`;
  if (remote.miss.kind === 'external') throw new ExternalError({ what, remedy: remote.miss.remedy });
  throw new UserError({
    input: 'commit-sha',
    what,
    remedy: `Set \`commit-sha\` to all 40 digits of the commit. ${remote.miss.remedy}`,
  });
}

function createUnknownHeadError(number: number, miss: SourceMiss): Failure {
  const what = `The event does not say which commit is the head of pull request ${number}, and ${describeMisses({ "GitHub's API": miss })}`;
  const text = { what, remedy: `${miss.remedy} Or set \`commit-sha\`.` };
  return miss.kind === 'external' ? new ExternalError(text) : new UserError(text);
}
