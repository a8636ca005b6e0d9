import { type Job, repositoryUrl } from '../../evidence/job.ts';
import type { Fact } from '../../operations/report.ts';
import { renderSummary, toSummaryContent } from '../report/summary.ts';
import type { SummaryContent } from '../report/summary-html.ts';
import type { StepResult } from '../run/step-result.ts';
import { type CommentOrigin, renderOrigin } from './comment-marker.ts';
import { type CommitMatch, describeOtherCommits } from './commit-match.ts';

/** GitHub's limit for a comment, in characters. It is applied to bytes, which are never fewer. */
const maximumCharacters = 65_536;

/** Renders the comment: the job summary of a redacted result, and the commit it is for. */
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
    /** Undefined if it could not be determined. */
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

/** The line with the commit, and a caution if the verdict is for another one. */
function aboutCommit(commit: CommitMatch, repository: string | undefined): Pick<SummaryContent, 'commit' | 'caution'> {
  const { sha, judged } = commit;
  const href = repository === undefined ? undefined : `${repository}/commit/${sha}`;
  const line: Fact = {
    label: judged === 'yes' ? 'Judged commit' : 'Commit of this run',
    value: { text: sha, code: true, href },
  };
  const other = describeOtherCommits(commit);
  return other === undefined ? { commit: line } : { commit: line, caution: `Not for this commit: ${other}.` };
}

/**
 * Puts a zero-width space into `@name`, `#12`, `GH-12` and URLs of issues, so that foreign text neither notifies people
 * nor links to other conversations in the bot's name (GitHub's documentation, "Autolinked references and URLs").
 */
export function withoutMentions(text: string): string {
  return text.replaceAll(/(?<!\w)@(?=\w)|#(?=\d)|\bGH-(?=\d)|\/(?:issues|pull|discussions)\/(?=\d)/giu, '$&\u200B');
}
