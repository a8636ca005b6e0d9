import { type Dirent, readdir, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { promisify } from 'node:util';
import type { Problem } from '../../runtime/failure.ts';
import type { AttachmentBoundary, LeftOut } from './attachment-rules.ts';
import { type FileKind, inspectEntry, inspectPath } from './file-kind.ts';
import { brokenLink, notAFile, tooManyFiles, unreadable } from './file-problems.ts';
import { advance, begin, isMatch, type Pattern, type Progress } from './glob.ts';

// `node:fs/promises` would be loaded only for this, even in steps that do not search.
const readEntries = promisify(readdir);

export interface SearchRules {
  /** Whether the user has excluded the path, or a directory on the way to it. */
  readonly isExcluded: (path: string, isDirectory: boolean) => boolean;
  /** Whether a matching directory stands for the files in it, or for itself. */
  readonly directories: 'content' | 'whole';
  /** Decides what is left out of the pattern with this base; absent if nothing is. */
  readonly boundary?: (base: string) => AttachmentBoundary;
}

/** The maximum number of matches of a pattern. An attachment cannot hold more. */
const maximumMatches = 100_000;

/** The maximum number of files and directories to search: several times what a large runner has, and minutes of work. */
const maximumSearched = 5_000_000;

/** The state of a walk: its progress through the pattern, or inside a directory from which every file is taken. */
type Reach = Progress | 'everything';

/** Finds the files and directories that match one pattern. Links are followed and hidden names match, unless a rule leaves them out. */
export class FileSearch {
  /** The absolute paths found, in no particular order, with the size in bytes (0 for a directory). */
  readonly matches = new Map<string, number>();
  /** The matches that cannot be used. */
  readonly problems: Problem[] = [];
  /** What was left out: matches, and directories that were not searched. */
  readonly leftOut: LeftOut[] = [];
  readonly #pattern: Pattern;
  readonly #rules: SearchRules;
  #boundary: AttachmentBoundary | undefined;
  readonly #maximumSearched: number;
  #searched = 0;
  /** Whether an exclusion removed a match. */
  hasExcluded = false;

  constructor(pattern: Pattern, rules: SearchRules, limit = maximumSearched) {
    this.#pattern = pattern;
    this.#rules = rules;
    this.#maximumSearched = limit;
  }

  /**
   * Fills `matches` and `problems`.
   *
   * @throws UserError if there are too many
   */
  async run(): Promise<void> {
    const { base, segments } = this.#pattern;
    const kind = inspectPath(base)?.kind;
    if (kind === undefined) return;
    this.#boundary = this.#rules.boundary?.(base);
    const leftOut = this.#boundary?.checkBase();
    if (leftOut !== undefined) this.leftOut.push(leftOut);
    else if (segments.length === 0) await this.#visit(base, kind, begin(this.#pattern), []);
    else if (kind === 'directory') await this.#searchDirectory(base, begin(this.#pattern), []);
  }

  /** @param ancestors the real paths of the directories above: a link back to one of them would never end */
  async #searchDirectory(directory: string, reach: Reach, ancestors: readonly string[]): Promise<void> {
    let entries: readonly Dirent[];
    let real: string;
    try {
      real = realpathSync.native(directory);
      entries = ancestors.includes(real) ? [] : await readEntries(directory, { withFileTypes: true });
    } catch (thrown) {
      this.problems.push(unreadable(directory, thrown));
      return;
    }
    this.#searched += entries.length;
    if (this.#searched > this.#maximumSearched)
      throw tooManyFiles(this.#pattern.base, this.#maximumSearched, 'files and directories were searched');
    const ancestorsAndSelf = [...ancestors, real];
    // Not `join`: both parts are normalized already, and it would be called thousands of times.
    const start = directory.endsWith(sep) ? directory : directory + sep;
    for (const entry of entries) {
      const next = reach === 'everything' ? reach : advance(this.#pattern, reach, entry.name);
      if (next.length === 0) continue;
      const path = start + entry.name;
      if (this.#isLeftOut(entry, path, reach, next)) continue;
      const entering = this.#visit(path, inspectEntry(entry, path), next, ancestorsAndSelf);
      // `await` has a cost even without a promise, and most entries are files.
      if (entering !== undefined) await entering;
      if (this.matches.size + this.problems.length > maximumMatches)
        throw tooManyFiles(this.#pattern.base, maximumMatches, 'files match');
    }
  }

  /** Whether an entry is left out, which is noted unless the user has excluded it anyway. */
  #isLeftOut(entry: Dirent, path: string, reach: Reach, next: Reach): boolean {
    const isNamed = reach !== 'everything' && reach.some((at) => this.#pattern.segments[at] === entry.name);
    const leftOut = this.#boundary?.checkEntry(entry, path, isNamed);
    if (leftOut === undefined) return false;
    const isMatched = next === 'everything' || isMatch(this.#pattern, next);
    const isDirectory = inspectEntry(entry, path) === 'directory';
    if ((isMatched || isDirectory) && !this.#rules.isExcluded(path, isDirectory)) this.leftOut.push(leftOut);
    return true;
  }

  /** Handles one path. Returns a promise only if it has to search a directory. */
  #visit(path: string, kind: FileKind, reach: Reach, ancestors: readonly string[]): Promise<void> | undefined {
    const matched = reach === 'everything' || isMatch(this.#pattern, reach);
    if (!matched && kind !== 'directory') return undefined;
    if (this.#rules.isExcluded(path, kind === 'directory')) {
      this.hasExcluded ||= matched;
    } else if (kind !== 'directory') {
      if (reach === 'everything' || this.#pattern.end !== 'directory') this.#addMatch(path, kind);
    } else if (!matched) {
      return this.#searchDirectory(path, reach, ancestors);
    } else {
      return this.#addDirectory(path, reach, ancestors);
    }
    return undefined;
  }

  async #addDirectory(path: string, reach: Reach, ancestors: readonly string[]): Promise<void> {
    if (this.#rules.directories === 'content') await this.#searchDirectory(path, 'everything', ancestors);
    // `dist` and `build/*` stand for directories; `dist/**` stands for the files in them.
    else if (this.#pattern.end === 'content') await this.#searchDirectory(path, reach, ancestors);
    else this.matches.set(path, 0);
  }

  #addMatch(path: string, kind: Exclude<FileKind, 'directory'>): void {
    if (kind === 'broken') this.problems.push(brokenLink(path));
    else if (kind === 'other') this.problems.push(notAFile(path));
    else this.#addFile(path);
  }

  #addFile(path: string): void {
    const size = inspectPath(path)?.size;
    if (size === undefined)
      this.problems.push(unreadable(path, 'it is no longer there, or its folder denies access to it'));
    else this.matches.set(path, size);
  }
}
