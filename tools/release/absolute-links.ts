import { posix } from 'node:path';
import type { PathKind } from './git.ts';
import { ReleaseError } from './release-error.ts';

/** Where a page came from, and where it will be read. */
export interface PageOrigin {
  /** The path of the page in the source commit. */
  readonly page: string;
  /** The repository's address: `https://github.com/owner/name`. */
  readonly repositoryUrl: string;
  readonly commit: string;
  /** What the paths of the source commit are. */
  readonly kinds: ReadonlyMap<string, PathKind>;
  /** Whether a link stays relative, because the file is beside the page where it will be read. */
  readonly isKept: (path: string) => boolean;
  /** Whether links to headings of the same page lead to the source, because not all of the page will be there. */
  readonly isExcerpt: boolean;
}

// Code comes first, so that links in it are left alone.
const fence = String.raw`^[ \t]*(?<fence>\x60{3,}|~{3,})[^\n]*\n[^]*?^[ \t]*\k<fence>`;
const codeSpan = String.raw`(?<span>\x60+)(?!\x60)(?:(?!\n\n)[^])*?(?<!\x60)\k<span>(?!\x60)`;
const inlineLink = String.raw`\]\(<?(?<inline>[^\s<>()]+)`;
const reference = String.raw`^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*<?(?<reference>[^\s<>]+)`;
const html = String.raw`<(?:a|img)\b[^>]*?\b(?:href|src)="(?<html>[^"]+)`;
const pattern = new RegExp([fence, codeSpan, inlineLink, reference, html].join('|'), 'gmu');

/**
 * Makes the relative links of a Markdown page absolute: they lead to the files as they are in the source commit.
 *
 * @param firstLine the number of the text's first line on its page, for errors
 * @throws ReleaseError if a link leads to a path that the commit does not have
 */
export function withAbsoluteLinks(markdown: string, origin: PageOrigin, firstLine = 1): string {
  let text = '';
  let end = 0;
  for (const match of markdown.matchAll(pattern)) {
    const target = match.groups?.['inline'] ?? match.groups?.['reference'] ?? match.groups?.['html'];
    if (target === undefined) continue;
    // A match ends with its target.
    const start = match.index + match[0].length - target.length;
    const line = firstLine + markdown.slice(0, start).split('\n').length - 1;
    text += markdown.slice(end, start) + absolute(target, origin, line);
    end = start + target.length;
  }
  return text + markdown.slice(end);
}

function absolute(target: string, origin: PageOrigin, line: number): string {
  const { page, repositoryUrl, commit } = origin;
  // Another site, or another scheme.
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/iu.test(target)) return target;
  if (target.startsWith('#')) return origin.isExcerpt ? `${repositoryUrl}/blob/${commit}/${page}${target}` : target;
  const [, link = '', rest = ''] = /^([^?#]*)(.*)$/u.exec(target) ?? [];
  // GitHub resolves a leading slash against the top folder of the repository.
  const path = posix.join(link.startsWith('/') ? '.' : posix.dirname(page), decodeURI(link)).replace(/^\/|\/$/gu, '');
  if (origin.isKept(path)) return target;
  const kind = origin.kinds.get(path);
  if (kind === undefined)
    throw new ReleaseError(
      `${page}:${line} links to ${target}, which is not in commit ${commit}. Correct the link on the main branch.`,
    );
  return `${repositoryUrl}/${viewOf(path, kind)}/${commit}/${encodeURI(path)}${rest}`;
}

/** How GitHub's web pages show a path: images are shown in other pages only as they are. */
function viewOf(path: string, kind: PathKind): string {
  if (kind === 'folder') return 'tree';
  return /\.(?:gif|jpe?g|png|svg|webp)$/iu.test(path) ? 'raw' : 'blob';
}
