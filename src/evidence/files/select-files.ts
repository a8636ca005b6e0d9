import { resolve, sep } from 'node:path';
import { type Problem, UserError } from '../../runtime/failure.ts';
import {
  AttachmentBoundary,
  type AttachmentRules,
  describeLeftOut,
  type LeftOut,
  nothingElse,
} from './attachment-rules.ts';
import { inspectPath } from './file-kind.ts';
import { FileSearch, type SearchRules } from './file-search.ts';
import { covers, parsePattern, type Pattern } from './glob.ts';
import { expandBraces } from './glob-braces.ts';

/** The lines of the input `files`, and the directory that they are relative to. */
export interface FileSelection {
  /**
   * One path or pattern per line: `*`, `?`, `[a-z]`, `{a,b}`, `**`; a line that starts with `!` excludes. Blank lines
   * are ignored. `~` and variables are not expanded, and `#` does not start a comment.
   */
  readonly patterns: readonly string[];
  /** The absolute directory that relative paths start from. */
  readonly workspace: string;
  /** What is left out because it would be attached; absent if nothing is. */
  readonly attachmentRules?: AttachmentRules;
}

/**
 * Finds the absolute paths that the lines match, with the size of files in bytes (0 for a directory). Depending on
 * `directories`, a matching directory stands for all files below it or for itself. Exclusions apply to all lines,
 * wherever they are, and an excluded directory excludes its content. Each path occurs once, in the order of the lines
 * and, within a line, in the order of UTF-16 code units: the same on every system.
 *
 * @throws UserError that names every line without a match, every broken link and every unreadable path
 */
export async function selectPaths(
  { patterns, workspace, attachmentRules }: FileSelection,
  directories: SearchRules['directories'],
): Promise<ReadonlyMap<string, number>> {
  const lines = patterns.filter((line) => line.trim() !== '').map((text) => readLine(text, workspace));
  const excluding = lines.filter((line) => line.excludes).flatMap(toPatterns);
  const isExcluded: SearchRules['isExcluded'] = (path, isDirectory) =>
    excluding.some((pattern) => covers(pattern, path, isDirectory));
  const including = lines.filter((line) => !line.excludes);

  const problems = lines.flatMap((line) => ('problem' in line.read ? [line.read.problem] : []));
  if (lines.length > 0 && including.length === 0) problems.push(onlyExclusions);
  const rules: SearchRules = {
    isExcluded,
    directories,
    ...(attachmentRules === undefined
      ? {}
      : { boundary: (base) => new AttachmentBoundary(workspace, base, attachmentRules) }),
  };
  const matches = new Map<string, number>();
  const leftOut = new Map<string, LeftOut>();
  for (const line of including) {
    const searches = toPatterns(line).map((pattern) => new FileSearch(pattern, rules));
    for (const search of searches) await search.run();
    problems.push(...findProblems(line.text, workspace, searches));
    for (const [path, size] of sortMatches(searches)) if (!matches.has(path)) matches.set(path, size);
    for (const one of searches.flatMap((search) => search.leftOut)) leftOut.set(one.name, one);
  }
  if (leftOut.size > 0) attachmentRules?.log.info(`Left out: ${describeLeftOut([...leftOut.values()])}`);
  const [first, ...others] = problems;
  if (first !== undefined) throw new UserError([first, ...others]);
  return matches;
}

interface ReadLine {
  readonly text: string;
  readonly excludes: boolean;
  readonly read: Line;
}

function readLine(text: string, workspace: string): ReadLine {
  const excludes = text.startsWith('!');
  return { text, excludes, read: parseLine(excludes ? text.slice(1) : text, workspace) };
}

function toPatterns({ read }: ReadLine): Extract<Line, { patterns: unknown }>['patterns'] {
  return 'patterns' in read ? read.patterns : [];
}

function sortMatches(searches: readonly FileSearch[]): readonly (readonly [string, number])[] {
  return searches.flatMap((search) => [...search.matches]).sort(([one], [other]) => compareCodeUnits(one, other));
}

function compareCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return withForwardSlashes(one) < withForwardSlashes(other) ? -1 : 1;
}

function withForwardSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

function findProblems(line: string, workspace: string, searches: readonly FileSearch[]): readonly Problem[] {
  const problems = searches.flatMap((search) => search.problems);
  const isEmpty = searches.length > 0 && searches.every((search) => search.matches.size === 0);
  if (problems.length > 0 || !isEmpty) return problems;
  const leftOut = searches.flatMap((search) => search.leftOut);
  if (leftOut.length > 0) return [nothingElse(line, leftOut)];
  return [
    searches.some((search) => search.hasExcluded)
      ? createAllExcludedProblem(line)
      : createNoMatchProblem(line, workspace),
  ];
}

function createNoMatchProblem(line: string, workspace: string): Problem {
  const home = line.startsWith('~') ? ' `~` is not expanded: write the path from the root.' : '';
  return {
    input: 'files',
    what: `No file matches "${line}" in ${workspace}`,
    remedy: `Check the spelling (upper and lower case differ), that an earlier step of this job creates the file, and that the job's user may read its folder.${home}`,
  };
}

function createAllExcludedProblem(line: string): Problem {
  return {
    input: 'files',
    what: `All that "${line}" matches is excluded by a line that starts with "!"`,
    remedy: 'Remove this line, or narrow the exclusion.',
  };
}

const onlyExclusions: Problem = {
  input: 'files',
  what: 'Every line starts with "!", so there is nothing to exclude from',
  remedy: 'Add a line that names files, for example `reports/**`; write `./!name` for a name that starts with "!".',
};

export type Line = { readonly patterns: readonly Pattern[] } | { readonly problem: Problem };

/**
 * Parses one line without its `!`. A line that is an existing path stands for that path, even if it contains wildcards.
 * A backslash separates directories on Windows; on other systems it escapes the next character.
 */
export function parseLine(written: string, workspace: string, separator: string = sep): Line {
  const line = separator === '\\' ? written.replaceAll(separator, '/') : written;
  const end = line.endsWith('/') ? 'directory' : 'anything';
  const literal: Pattern = { base: resolve(workspace, line), segments: [], end };
  if (inspectPath(literal.base) !== undefined) return { patterns: [literal] };
  const patterns: Pattern[] = [];
  const alternatives = expandBraces(line);
  if (alternatives === undefined) return { problem: createTooManyAlternativesProblem(line) };
  for (const alternative of alternatives) {
    const pattern = parsePattern(alternative, workspace);
    if (pattern === undefined) return { problem: createParentAfterWildcardProblem(line) };
    patterns.push(pattern);
  }
  return { patterns };
}

function createParentAfterWildcardProblem(line: string): Problem {
  return {
    input: 'files',
    what: `"${line}" has ".." after a wildcard, so the directory is ambiguous`,
    remedy: 'Write the path without ".." after the first wildcard.',
  };
}

function createTooManyAlternativesProblem(line: string): Problem {
  return {
    input: 'files',
    what: `The braces of "${line}" expand to more than 10,000 patterns`,
    remedy: 'Use fewer braces, or `*`.',
  };
}
