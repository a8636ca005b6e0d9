import { repositoryUrl, type Job } from '../evidence/job.ts';
import type { Text } from '../operations/report.ts';
import type { Ending } from './conclude.ts';
import { tellingLine, type Telling } from './comment-marker.ts';
import { renderSummary } from './summary.ts';

/** The most characters that GitHub takes as a comment. A character has one byte at least, so bytes are a safe measure. */
const maximumCharacters = 65_536;

/**
 * What a comment says: the job summary, with the judged commit.
 *
 * @param redact takes secrets out; a comment is public where the repository is
 */
export function commentBody(
  ending: Ending,
  {
    marker,
    telling,
    job,
    redact,
  }: {
    readonly marker: string;
    readonly telling: Telling;
    readonly job: Job;
    readonly redact: (text: string) => string;
  },
): string {
  const { decision, result, runUrl } = ending;
  const { verdict, conclusion, remedy } = decision;
  const { commit } = telling;
  const repository = repositoryUrl(job);
  const hidden = redact(`${marker}\n${tellingLine(telling)}\n\n`);
  const text = {
    verdict,
    conclusion,
    runUrl,
    ...(remedy === undefined ? {} : { remedy }),
    ...(result === undefined ? {} : { report: result.report }),
    ...(commit === undefined ? {} : { commit: commitText(commit, repository) }),
  };
  const room = maximumCharacters - Buffer.byteLength(hidden);
  return hidden + renderSummary(text, room, (html) => redact(withoutMentions(html)));
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
