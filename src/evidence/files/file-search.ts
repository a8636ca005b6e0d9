import { readdir, realpathSync, type Dirent } from 'node:fs';
import { sep } from 'node:path';
import { promisify } from 'node:util';
import type { Problem } from '../../runtime/failure.ts';
import { inspectEntry, inspectPath, type FileKind } from './file-kind.ts';
import { advance, begin, isMatch, type Pattern, type Progress } from './glob.ts';
import { brokenLink, notAFile, unreadable } from './file-problems.ts';

// `node:fs/promises` would be loaded for this alone, in steps that search for nothing, too.
const readEntries = promisify(readdir);

/** How a search treats what it meets. */
export interface SearchRules {
  /** Whether the user has excluded the path, or a directory on the way to it. */
  readonly isExcluded: (path: string, isDirectory: boolean) => boolean;
  /** Whether a directory that matches means the files in it, or is one thing. */
  readonly directories: 'content' | 'whole';
}

/** How far a walk is: on its way through the pattern, or inside a directory of which everything is wanted. */
type Reach = Progress | 'everything';

/** Finds what one pattern stands for. Links are followed; names that start with a dot are names like any other. */
export class FileSearch {
  /** The absolute paths found, in no particular order, with the size in bytes (0 for a directory). */
  readonly matches = new Map<string, number>();
  /** What matched and cannot be used. */
  readonly problems: Problem[] = [];
  readonly #pattern: Pattern;
  readonly #rules: SearchRules;
  #excluded = false;

  constructor(pattern: Pattern, rules: SearchRules) {
    this.#pattern = pattern;
    this.#rules = rules;
  }

  /** Whether an exclusion took a match away. */
  get hasExcluded(): boolean {
    return this.#excluded;
  }

  /** Fills `matches` and `problems`. */
  async run(): Promise<void> {
    const { base, segments } = this.#pattern;
    const kind = inspectPath(base)?.kind;
    if (kind === undefined) return;
    if (segments.length === 0) await this.#visit(base, kind, begin(this.#pattern), []);
    else if (kind === 'directory') await this.#searchDirectory(base, begin(this.#pattern), []);
  }

  /** `ancestors`: the real paths of the directories on the way here. A link back to one of them would never end. */
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
    const ancestorsAndSelf = [...ancestors, real];
    // Both are in their normal form, so nothing of what `join` does is needed; it would do it thousands of times.
    const start = directory.endsWith(sep) ? directory : directory + sep;
    for (const entry of entries) {
      const next = reach === 'everything' ? reach : advance(this.#pattern, reach, entry.name);
      if (next.length === 0) continue;
      const path = start + entry.name;
      const entering = this.#visit(path, inspectEntry(entry, path), next, ancestorsAndSelf);
      // Waiting costs even where there is nothing to wait for, and most entries are files.
      if (entering !== undefined) await entering;
    }
  }

  /** Takes what is wanted; where that is in a directory, the promise ends with it. */
  #visit(path: string, kind: FileKind, reach: Reach, ancestors: readonly string[]): Promise<void> | undefined {
    const matched = reach === 'everything' || isMatch(this.#pattern, reach);
    if (!matched && kind !== 'directory') return undefined;
    if (this.#rules.isExcluded(path, kind === 'directory')) {
      this.#excluded ||= matched;
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
    // `dist` and `build/*` name directories; `dist/**` names what is in them.
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
    // A listed name that cannot be looked at: taken away meanwhile, or not the UTF-8 that paths are spelled in here.
    if (size === undefined) this.problems.push(unreadable(path, 'its name leads to no file'));
    else this.matches.set(path, size);
  }
}
