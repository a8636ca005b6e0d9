import { repositoryUrl, type Job } from '../../evidence/job.ts';
import type { Fact } from '../../operations/report.ts';
import type { StepResult } from '../run/step-result.ts';
import { renderOrigin, type CommentOrigin } from './comment-marker.ts';
import { renderSummary, toSummaryContent } from '../report/summary.ts';
import type { SummaryContent } from '../report/summary-html.ts';
import { describeOtherCommits, type CommitMatch } from './commit-match.ts';

/** The most characters that GitHub takes as a comment. A character has one byte at least, so bytes are a safe measure. */
const maximumCharacters = 65_536;

/** What a comment says: the job summary of an ending without secrets, with the commit that the run is about. */
export function commentBody(
  stepResult: StepResult,
  {
    marker,
    origin,
    job,
    commit,
  }: {
    readonly marker: string;
    readonly origin: CommentOrigin;
    readonly job: Job;
    /** Undefined where it could not be found out. */
    readonly commit: CommitMatch | undefined;
  },
): string {
  const hidden = `${marker}\n${renderOrigin(origin)}\n\n`;
  const text = {
    ...toSummaryContent(stepResult),
    ...(commit === undefined ? {} : aboutCommit(commit, repositoryUrl(job))),
  };
  return hidden + renderSummary(text, maximumCharacters - Buffer.byteLength(hidden), withoutMentions);
}

/** The line of the commit, which is called judged only where it is that, and what has to be said where another one was. */
function aboutCommit(commit: CommitMatch, repository: string | undefined): Pick<SummaryContent, 'commit' | 'caution'> {
  const { sha, judged } = commit;
  const href = repository === undefined ? undefined : `${repository}/commit/${sha}`;
  const line: Fact = {
    label: judged === 'yes' ? 'Judged commit' : 'Commit of this run',
    value: { text: sha, code: true, href },
  };
  const other = describeOtherCommits(commit);
  return other === undefined ? { commit: line } : { commit: line, caution: `Not of this commit: ${other}.` };
}

/**
 * The text with a space of no width in `@name`, `#12`, `GH-12` and the addresses of issues: a foreign text must not notify
 * people, nor refer to other conversations, in the name of the bot (GitHub's documentation, "Autolinked references and
 * URLs").
 */
export function withoutMentions(text: string): string {
  return text.replaceAll(/(?<!\w)@(?=\w)|#(?=\d)|\bGH-(?=\d)|\/(?:issues|pull|discussions)\/(?=\d)/giu, '$&\u200B');
}
