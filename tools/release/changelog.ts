import { ReleaseError } from './release-error.ts';

/** What CHANGELOG.md says about a version. */
export interface ChangelogSection {
  /** Markdown, without the heading of the version. */
  readonly text: string;
  /** The number of its first line in CHANGELOG.md. */
  readonly line: number;
}

/**
 * The section of a version in a changelog by https://keepachangelog.com.
 *
 * @throws ReleaseError if it is missing or empty
 */
export function changelogSection(changelog: string, version: string): ChangelogSection {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => isHeadingOf(line, version));
  if (start < 0)
    throw new ReleaseError(
      `CHANGELOG.md has no heading "## [${version}] - YYYY-MM-DD". Move the changes below "## [Unreleased]" under one.`,
    );
  const following = lines.slice(start + 1);
  const end = following.findIndex((line) => line.startsWith('## '));
  const section = end < 0 ? following : following.slice(0, end);
  const text = section.join('\n').trim();
  if (text === '')
    throw new ReleaseError(`The section of ${version} in CHANGELOG.md is empty. Say there what users will notice.`);
  return { text, line: start + 2 + section.findIndex((line) => line.trim() !== '') };
}

/**
 * Joins the lines of each paragraph and list item. GitHub shows every line break of release notes, while the files of
 * the project are wrapped.
 */
export function unwrap(markdown: string): string {
  const joined: string[] = [];
  let inFence = false;
  for (const line of markdown.split('\n')) {
    const isFence = /^\s*(?:`{3,}|~{3,})/u.test(line);
    const previous = joined.at(-1);
    if (!inFence && !isFence && previous !== undefined && continues(previous, line))
      joined[joined.length - 1] = `${previous} ${line.trim()}`;
    else joined.push(line);
    if (isFence) inFence = !inFence;
  }
  return joined.join('\n');
}

function isHeadingOf(line: string, version: string): boolean {
  const heading = /^## \[(.+)\] - \d{4}-\d{2}-\d{2}\s*$/u.exec(line);
  return heading?.[1] === version;
}

/** Whether a line belongs to the paragraph or list item of the previous line. */
function continues(previous: string, line: string): boolean {
  const startsBlock = /^\s*(?:$|#{1,6} |[-*+] |\d+[.)] |[|>]|<|\[[^\]]+\]:)/u;
  const endsBlock = /^\s*(?:$|#{1,6} |[|>]|`{3,}|~{3,})|(?: {2}|\\)$/u;
  return !startsBlock.test(line) && !endsBlock.test(previous);
}
