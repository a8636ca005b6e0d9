import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { UserError } from '../../runtime/failure.ts';
import { inspectPath } from '../files/file-kind.ts';
import { compileGoSegment } from '../files/glob-segment.ts';
import { wrapReadErrors } from '../files/file-problems.ts';

/**
 * The file in a directory's root that names what its fingerprint leaves out. The service's public command-line client reads
 * a file of this name, and an artifact can only be found when both compute the same fingerprint.
 */
export const ignoreFileName = '.kosli_ignore';

/**
 * What the rules of the ignore file name: paths from the root, each with a leading slash. The ignore file itself is never
 * among them, so that whoever changes the rules changes the fingerprint.
 *
 * A rule a line; `#` starts a comment anywhere; `*`, `?`, `[a-z]`, `[^a-z]` and `\` as in Go's `filepath.Match`; a path always
 * starts at the root. `**` does what it does in the public client, which is not what it does elsewhere: it is replaced by
 * nothing and by every path below what stands before it, each of which is then read as part of the pattern. Thus
 * `**` + `/*.log` names the logs of the root and of all directories, but `**` + `/x` leaves an `x` in the root itself alone
 * (its content is named). Whatever matches a rule with `**` is named with all that is in it.
 *
 * @throws UserError if the ignore file cannot be read or a rule is malformed.
 */
export function ignoredPaths(root: string): ReadonlySet<string> {
  const file = join(root, ignoreFileName);
  if (inspectPath(file)?.kind !== 'file') return new Set();
  const tree = new Tree(root);
  const paths = new Set<string>();
  for (const rule of parseRules(wrapReadErrors(file, () => readFileSync(file, 'utf8')))) {
    const pattern = toRootedPattern(rule);
    const found = pattern === undefined ? [] : expand(tree, pattern);
    if (found === 'malformed') throw createMalformedError(rule, file);
    for (const path of found) if (isNormalized(path)) paths.add(path.slice(treeRoot.length));
  }
  paths.delete(`/${ignoreFileName}`);
  return paths;
}

/** The rules in the text of an ignore file. */
export function parseRules(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/su, '').trim())
    .filter((line) => line !== '');
}

/** What the paths in this file start with, in place of the directory's own path, whose characters must not count. */
const treeRoot = 'root';

/** The rule as a path, without empty and `.` segments; undefined if it leaves the root, where it can match nothing. */
function toRootedPattern(rule: string): string | undefined {
  const path = posix.join(treeRoot, rule).replace(/\/$/u, '');
  return path.startsWith(`${treeRoot}/`) ? path : undefined;
}

/** Whether a path is written as the walk that computes the fingerprint writes it; any other (`root//x`) names nothing. */
function isNormalized(path: string): boolean {
  return path === posix.normalize(path) && !path.endsWith('/');
}

/** The paths that a pattern names. */
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

/** As Go's `filepath.Glob`: a path without wildcards comes back as it is written, where it exists. */
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

function createMalformedError(rule: string, file: string): UserError {
  return new UserError({
    input: 'files',
    what: `The rule "${rule}" in ${file} is malformed`,
    remedy: 'Close its brackets, and write a backslash before a bracket that stands for itself.',
  });
}

/** The names below the root, read from the file system as they are asked for. Links are not followed. */
class Tree {
  readonly #directory: string;
  readonly #listed = new Map<string, ReadonlyMap<string, boolean>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The names in a directory; none if there is no directory. */
  names(path: string): readonly string[] {
    return [...this.#list(posix.normalize(path).replace(/\/$/u, '')).keys()];
  }

  has(path: string): boolean {
    const normal = posix.normalize(path).replace(/\/$/u, '');
    return normal === treeRoot || this.#list(posix.dirname(normal)).has(posix.basename(normal));
  }

  /** The path as it is written, and all paths below it as a walk writes them. */
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
