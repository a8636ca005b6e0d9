import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dirent } from 'node:fs';
import { describeError, UserError } from '../../runtime/failure.ts';
import { attachmentFile, checksumFile, manifestFile } from './spool-item.ts';

/** A folder that looks like an item. Nothing in it has been read yet. */
export interface FoundItem {
  readonly path: string;
  /** The path below the spools' folder, with `/`. */
  readonly name: string;
  /** The run that the item comes from, as the workflow that downloaded it says. */
  readonly runId: string;
}

/** Something that cannot be delivered, and why: the end of a sentence. */
export interface RefusedPath {
  readonly name: string;
  readonly reason: string;
}

/** What a folder with spools contains, sorted by name. */
export interface FoundSpools {
  readonly items: readonly FoundItem[];
  readonly refused: readonly RefusedPath[];
}

/** How many items one run can have. The jobs of a matrix are at most 256. */
const maximumItems = 1000;

/** How many files and folders are looked at in the folder of one run. */
const maximumEntries = 10_000;

/** An artifact of a run, a spool in it, an item: deeper folders are not looked into. */
const maximumDepth = 4;

const itemFiles: ReadonlySet<string> = new Set([manifestFile, checksumFile, attachmentFile]);

/**
 * Finds the items of spools. Directly below the folder is one folder for each run, named by its id: the workflow that
 * downloads a spool knows which run it comes from, and the spool itself could claim any. Symbolic links are never
 * followed, and hidden folders are left out: they hold items that were not written completely.
 *
 * @throws UserError if the folder cannot be read
 */
export async function findSpoolItems(folder: string): Promise<FoundSpools> {
  const items: FoundItem[] = [];
  const refused: RefusedPath[] = [];
  for (const entry of await readRoot(folder)) {
    if (!entry.isDirectory()) {
      if (entry.isSymbolicLink()) refused.push({ name: entry.name, reason: 'is a symbolic link' });
      continue;
    }
    const runId = /^[1-9]\d{0,18}$/u.test(entry.name) ? entry.name : undefined;
    const walk = new Walk(runId);
    await walk.visit(join(folder, entry.name), entry.name, 1);
    items.push(...walk.items);
    refused.push(...walk.refused);
  }
  return { items, refused };
}

async function readRoot(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries: Dirent[] = [];
    for await (const entry of await opendir(folder)) if (!entry.name.startsWith('.')) entries.push(entry);
    return byName(entries);
  } catch (thrown) {
    throw new UserError({
      input: 'spool-path',
      what: `the folder ${folder} cannot be read: ${describeError(thrown)}`,
      remedy: 'Set `spool-path` to the folder into which an earlier step downloaded the spools; it may be empty.',
    });
  }
}

/** The walk through the folder of one run. */
class Walk {
  readonly items: FoundItem[] = [];
  readonly refused: RefusedPath[] = [];
  readonly #runId: string | undefined;
  #entries = 0;

  constructor(runId: string | undefined) {
    this.#runId = runId;
  }

  async visit(path: string, name: string, depth: number): Promise<void> {
    const entries = await this.#read(path, name);
    if (entries === undefined) return;
    const links = entries.filter((entry) => entry.isSymbolicLink());
    for (const link of links) this.#refuse(`${name}/${link.name}`, 'is a symbolic link');
    if (entries.some((entry) => itemFiles.has(entry.name))) {
      if (links.length === 0) this.#addItem(path, name);
      return;
    }
    for (const entry of entries.filter((candidate) => candidate.isDirectory())) {
      if (depth < maximumDepth) await this.visit(join(path, entry.name), `${name}/${entry.name}`, depth + 1);
      else this.#refuse(`${name}/${entry.name}`, 'is nested too deeply');
    }
  }

  #addItem(path: string, name: string): void {
    if (this.#runId === undefined) {
      this.#refuse(name, 'is not below a folder that is named by the id of its workflow run');
    } else if (name === this.#runId) {
      this.#refuse(name, 'is not in a folder of its own below the folder of its run');
    } else if (this.items.length >= maximumItems) {
      this.#refuse(name, `is one of more than ${maximumItems} items of its run`);
    } else {
      this.items.push({ path, name, runId: this.#runId });
    }
  }

  #refuse(name: string, reason: string): void {
    if (this.refused.length < maximumItems) this.refused.push({ name, reason });
  }

  /** The visible entries; undefined if they are too many or cannot be read. */
  async #read(path: string, name: string): Promise<readonly Dirent[] | undefined> {
    const entries: Dirent[] = [];
    try {
      // Only a process that can write to the spool folder could replace a folder by a link now.
      if (!(await lstat(path)).isDirectory()) return undefined;
      for await (const entry of await opendir(path)) {
        this.#entries += 1;
        if (this.#entries > maximumEntries) {
          this.#refuse(name, `has more than ${maximumEntries} files and folders`);
          return undefined;
        }
        if (!entry.name.startsWith('.')) entries.push(entry);
      }
    } catch (thrown) {
      this.#refuse(name, `cannot be read: ${describeError(thrown)}`);
      return undefined;
    }
    return byName(entries);
  }
}

function byName(entries: readonly Dirent[]): readonly Dirent[] {
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
