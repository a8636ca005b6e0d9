import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { UserError } from '../../runtime/failure.ts';
import { inspectPath } from '../files/file-kind.ts';
import { wrapReadErrors } from '../files/file-problems.ts';
import { compileGoSegment } from '../files/glob-segment.ts';

/**
 * The file in a directory's root that lists what its fingerprint leaves out. The service's public command-line client
 * reads a file of this name, and an artifact can only be found if both compute the same fingerprint.
 */
export const ignoreFileName = '.kosli_ignore';

/**
 * The paths that the rules of the ignore file match: paths from the root, each with a leading slash. The ignore file
 * itself is never ignored, so that a change of the rules changes the fingerprint.
 *
 * One rule per line; `#` starts a comment anywhere; `*`, `?`, `[a-z]`, `[^a-z]` and `\` as in Go's `filepath.Match`; a
 * path always starts at the root. `**` works as in the public client, which is unusual: it is replaced by nothing and
 * by every path below the part before it, and each result is then a pattern. Thus `**` + `/*.log` matches the logs in
 * the root and in all directories, but `**` + `/x` does not match an `x` in the root itself (only its content). A path
 * that matches a rule with `**` is ignored with everything in it.
 *
 * @throws UserError if the ignore file cannot be read or a rule is malformed
 */
export function ignoredPaths(root: string): ReadonlySet<string> {
  const file = join(root, ignoreFileName);
  if (inspectPath(file)?.kind !== 'file') return new Set();
  const tree = new Tree(root);
  const paths = new Set<string>();
  for (const rule of parseRules(wrapReadErrors(file, () => readFileSync(file, 'utf8')))) {
    const pattern = toRootedPattern(rule);
    const found = pattern === undefined ? [] : expand(tree, pattern);
    if (found === 'malformed') {
      throw new UserError({
        input: 'files',
        what: `The rule "${rule}" in ${file} is malformed`,
        remedy: 'Close its brackets, and put a backslash before a literal bracket.',
      });
    }
    for (const path of found) if (isNormalized(path)) paths.add(path.slice(treeRoot.length));
  }
  paths.delete(`/${ignoreFileName}`);
  return paths;
}

export function parseRules(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/su, '').trim())
    .filter((line) => line !== '');
}

/** Replaces the directory's path at the start of all paths in this file: its characters could be wildcards. */
const treeRoot = 'root';

/** The rule as a path, without empty and `.` segments; undefined if it leaves the root, where nothing matches. */
function toRootedPattern(rule: string): string | undefined {
  const path = posix.join(treeRoot, rule).replace(/\/$/u, '');
  return path.startsWith(`${treeRoot}/`) ? path : undefined;
}

/** Whether a path is written as in the walk that computes the fingerprint; others (`root//x`) match nothing there. */
function isNormalized(path: string): boolean {
  return path === posix.normalize(path) && !path.endsWith('/');
}

/** The paths that a pattern matches. */
function expand(tree: Tree, pattern: string): readonly string[] | 'malformed' {
  const [start = '', ...others] = pattern.split('**');
  if (others.length === 0) return glob(tree, pattern);
  let reached: readonly string[] = [''];
  for (const piece of [start, ...others]) {
    const found = new Set<string>();
    for (const before of reached) {
      const matched = glob(tree, before + piece);
      if (matched === 'malformed') return matched;
      for (const path of matched) tree.addWithDescendants(path, found);
    }
    reached = [...found];
  }
  return reached;
}

/** Like Go's `filepath.Glob`: a path without wildcards is returned as it is written if it exists. */
function glob(tree: Tree, pattern: string): readonly string[] | 'malformed' {
  if (!hasWildcard(pattern)) return tree.has(pattern) ? [pattern] : [];
  const cut = pattern.lastIndexOf('/');
  const name = compileGoSegment(pattern.slice(cut + 1));
  const before = pattern.slice(0, cut);
  const directories = hasWildcard(before) ? glob(tree, before) : [before];
  if (name === undefined || directories === 'malformed') return 'malformed';
  return directories.flatMap((directory) =>
    tree
      .names(directory)
      .filter((candidate) => name.test(candidate))
      .map((found) => posix.join(directory, found)),
  );
}

function hasWildcard(pattern: string): boolean {
  return /[*?[\\]/u.test(pattern);
}

/** The names below the root, read from the file system on demand. Links are not followed. */
class Tree {
  readonly #directory: string;
  readonly #listed = new Map<string, ReadonlyMap<string, boolean>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The names in a directory; empty if it does not exist. */
  names(path: string): readonly string[] {
    return [...this.#list(posix.normalize(path).replace(/\/$/u, '')).keys()];
  }

  has(path: string): boolean {
    const normal = posix.normalize(path).replace(/\/$/u, '');
    return normal === treeRoot || this.#list(posix.dirname(normal)).has(posix.basename(normal));
  }

  /** Adds the path as it is written, and all normalized paths below it. */
  addWithDescendants(path: string, paths: Set<string>): void {
    if (paths.has(path)) return;
    paths.add(path);
    for (const name of this.names(path)) this.addWithDescendants(posix.join(path, name), paths);
  }

  /** The names in a directory, each with whether it is a directory itself. */
  #list(path: string): ReadonlyMap<string, boolean> {
    const known = this.#listed.get(path);
    if (known !== undefined) return known;
    const listed = this.#isDirectory(path) ? this.#read(path) : new Map<string, boolean>();
    this.#listed.set(path, listed);
    return listed;
  }

  #isDirectory(path: string): boolean {
    if (path === treeRoot) return true;
    return path.startsWith(`${treeRoot}/`) && this.#list(posix.dirname(path)).get(posix.basename(path)) === true;
  }

  #read(path: string): ReadonlyMap<string, boolean> {
    const directory = this.#directory + path.slice(treeRoot.length);
    const entries = wrapReadErrors(directory, () => readdirSync(directory, { withFileTypes: true }));
    return new Map(entries.map((entry) => [entry.name, entry.isDirectory()]));
  }
}
