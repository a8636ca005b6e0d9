import { relative, resolve, sep } from 'node:path';
import type { Problem } from '../../runtime/failure.ts';
import { expandBraces } from './braces.ts';
import { look } from './entry.ts';
import { advance, begin, isMatch, parsePattern, type Pattern } from './pattern.ts';

/** The patterns that a line stands for, or why it stands for none. */
export type Line = { readonly patterns: readonly Pattern[] } | { readonly problem: Problem };

/**
 * Reads one line without its `!`. One that names something that exists is that path, wildcards in its name or not. A
 * backslash separates directories where the system's separator is one (on Windows), and elsewhere takes the special meaning
 * from the character behind it.
 */
export function parseLine(written: string, workspace: string, separator: string = sep): Line {
  const line = separator === '\\' ? written.replaceAll(separator, '/') : written;
  const end = line.endsWith('/') ? 'directory' : 'anything';
  const literal: Pattern = { base: resolve(workspace, line), segments: [], end };
  if (look(literal.base) !== undefined) return { patterns: [literal] };
  const patterns: Pattern[] = [];
  const alternatives = expandBraces(line);
  if (alternatives === undefined) return { problem: tooManyAlternatives(line) };
  for (const alternative of alternatives) {
    const pattern = parsePattern(alternative, workspace);
    if (pattern === undefined) return { problem: parentBehindWildcard(line) };
    patterns.push(pattern);
  }
  return { patterns };
}

/** Whether a pattern matches the path or a directory on the way to it. */
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

function parentBehindWildcard(line: string): Problem {
  return {
    input: 'files',
    what: `"${line}" has ".." behind a wildcard, so there is no telling which directory is meant`,
    remedy: 'Write the path without ".." behind the first wildcard.',
  };
}

function tooManyAlternatives(line: string): Problem {
  return {
    input: 'files',
    what: `The braces of "${line}" stand for more than ten thousand patterns`,
    remedy: 'Use fewer braces, or `*`.',
  };
}
