import { repositoryUrl, type Job } from '../evidence/job.ts';
import type { Text } from '../operations/report.ts';
import type { Ending } from './conclude.ts';
import { tellingLine, type Telling } from './comment-marker.ts';
import { renderSummary, summaryTextOf } from './summary.ts';

/** The most characters that GitHub takes as a comment. A character has one byte at least, so bytes are a safe measure. */
const maximumCharacters = 65_536;

/** What a comment says: the job summary of an ending without secrets, with the commit that the run is about. */
export function commentBody(
  ending: Ending,
  { marker, telling, job }: { readonly marker: string; readonly telling: Telling; readonly job: Job },
): string {
  const { commit } = telling;
  const hidden = `${marker}\n${tellingLine(telling)}\n\n`;
  const text = {
    ...summaryTextOf(ending),
    ...(commit === undefined ? {} : { commit: commitText(commit, repositoryUrl(job)) }),
  };
  return hidden + renderSummary(text, maximumCharacters - Buffer.byteLength(hidden), withoutMentions);
}

function commitText(sha: string, repository: string | undefined): Text {
  return { text: sha, code: true, href: repository === undefined ? undefined : `${repository}/commit/${sha}` };
}

/**
 * The HTML with a break of no width in `@name` and `#12`: a foreign text must not notify people, nor refer to other
 * conversations, in the name of the bot. What stands in tags and in `<code>` is left alone, as GitHub does it.
 */
export function withoutMentions(html: string): string {
  return html.replaceAll(
    /(?<kept><code>.*?<\/code>|<[^>]*>|&#?\w+;)|(?<sign>(?<!\w)@(?=\w)|#(?=\d))/gsu,
    (found, kept: string | undefined) => (kept === undefined ? `${found}&#8203;` : found),
  );
}
