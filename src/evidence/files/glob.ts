import { relative, resolve, sep } from 'node:path';
import { compileSegment } from './glob-segment.ts';

// Written by hand instead of a package, to keep start-up short (docs/contributing/performance.md) and to match alike on
// every system.

/** `**`: any number of directories, including none. */
const globstar = Symbol('**');

/** One level of a pattern: a literal name, an expression for names, or any number of levels. */
export type Segment = string | RegExp | typeof globstar;

export interface Pattern {
  /** The absolute path before the first wildcard; the whole path if there is none. */
  readonly base: string;
  /** The levels below the base; empty if there is no wildcard. */
  readonly segments: readonly Segment[];
  /** What the pattern matches: with a slash at the end only directories, with `**` the content of directories. */
  readonly end: 'anything' | 'directory' | 'content';
}

/** The positions in a pattern's segments that the path so far may have reached. */
export type Progress = readonly number[];

/**
 * Parses a pattern without braces, with forward slashes, relative to a directory. A backslash escapes the next
 * character.
 *
 * @returns undefined if `..` follows a wildcard, because the directory would be ambiguous
 */
export function parsePattern(text: string, directory: string): Pattern | undefined {
  const parts = text.split('/');
  const wild = parts.findIndex((part) => /[*?[\\]/.test(part));
  const fixed = wild === -1 ? parts : parts.slice(0, wild);
  const levels = wild === -1 ? [] : parts.slice(wild).filter((part) => part !== '' && part !== '.');
  if (levels.includes('..')) return undefined;
  // `a/**` matches nothing unless `a` is a directory, so at least one name has to follow.
  const isContent = levels.at(-1) === '**';
  return {
    // Each part keeps its slash, because `C:` alone would be the current directory of the drive.
    base: resolve(directory, fixed.map((part, at) => (at < parts.length - 1 ? `${part}/` : part)).join('')),
    segments: (isContent ? [...levels, '*'] : levels).map(parseSegment),
    end: isContent ? 'content' : endsInSlash(parts) ? 'directory' : 'anything',
  };
}

function parseSegment(text: string): Segment {
  if (text === '**') return globstar;
  return /[*?[\\]/.test(text) ? compileSegment(text) : text;
}

function endsInSlash(parts: readonly string[]): boolean {
  return parts.length > 1 && parts.at(-1) === '';
}

/** The progress at the pattern's base, before the first name. */
export function begin(pattern: Pattern): Progress {
  return withSkippedGlobstars(pattern, [0]);
}

/** The progress after one more name; empty if no path below can match. */
export function advance(pattern: Pattern, progress: Progress, name: string): Progress {
  const reached = progress.flatMap((at) => {
    const segment = pattern.segments[at];
    if (segment === globstar) return [at];
    if (typeof segment === 'string') return segment === name ? [at + 1] : [];
    return segment?.test(name) === true ? [at + 1] : [];
  });
  return withSkippedGlobstars(pattern, reached);
}

/** Whether the names so far match the whole pattern. */
export function isMatch(pattern: Pattern, progress: Progress): boolean {
  return progress.includes(pattern.segments.length);
}

/** Whether a pattern matches the path or one of its parent directories. */
export function covers(pattern: Pattern, path: string, isDirectory: boolean): boolean {
  const inside = pattern.base.endsWith(sep) ? pattern.base : pattern.base + sep;
  if (path !== pattern.base && !path.startsWith(inside)) return false;
  const names = path === pattern.base ? [] : relative(pattern.base, path).split(sep);
  let progress = begin(pattern);
  const reaches = [progress, ...names.map((name) => (progress = advance(pattern, progress, name)))];
  return reaches.some(
    (reach, depth) => isMatch(pattern, reach) && (pattern.end !== 'directory' || isDirectory || depth < names.length),
  );
}

function withSkippedGlobstars(pattern: Pattern, progress: Progress): Progress {
  const reached = new Set<number>();
  for (const start of progress) {
    for (let at = start; !reached.has(at); at += 1) {
      reached.add(at);
      if (pattern.segments[at] !== globstar) break;
    }
  }
  return [...reached];
}
