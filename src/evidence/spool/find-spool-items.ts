import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
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

const noRun = 'is not below a folder that is named by the id of its workflow run';

/** Evidence in an archive must not be left out in silence. */
const isArchive = 'is an archive, which must be unpacked into a folder';
const archiveName = /\.(?:zip|tgz|tar|tar\.gz)$/iu;

const itemFiles: ReadonlySet<string> = new Set([manifestFile, checksumFile, attachmentFile]);

interface Visited {
  readonly path: string;
  /** The path below the spools' folder, with `/`. */
  readonly name: string;
  readonly depth: number;
}

/**
 * Finds the items of spools. Directly below the folder is one folder for each run, named by its id: the workflow that
 * downloads a spool knows which run it comes from, and the spool itself could claim any. Symbolic links are never
 * followed, and hidden folders are left out: they hold items that were not written completely.
 *
 * @throws UserError if it cannot be read, or if it has files, and nothing that looks like an item: it is probably
 *   another folder than the one that is meant
 */
export async function findSpoolItems(folder: string): Promise<FoundSpools> {
  const items: FoundItem[] = [];
  const refused: RefusedPath[] = [];
  const entries = await readRoot(folder);
  const walks: Walk[] = [];
  for (const entry of entries) {
    if (entry.isSymbolicLink()) refused.push({ name: entry.name, reason: 'is a symbolic link' });
    else if (isArchiveFile(entry)) refused.push({ name: entry.name, reason: isArchive });
    if (!entry.isDirectory()) continue;
    const walk = new Walk(/^[1-9]\d{0,18}$/u.test(entry.name) ? entry.name : undefined);
    await walk.visit({ path: join(folder, entry.name), name: entry.name, depth: 1 });
    items.push(...walk.items);
    refused.push(...walk.refused);
    walks.push(walk);
  }
  const hasFiles = entries.some((entry) => entry.isFile()) || walks.some((walk) => walk.hasFiles);
  if (hasFiles) requireFound(folder, { items, refused });
  return { items, refused };
}

function requireFound(folder: string, { items, refused }: FoundSpools): void {
  if (items.length + refused.length > 0) return;
  throw wrongFolder(`the folder ${folder} has files, but no kept evidence`);
}

async function readRoot(path: string): Promise<readonly Dirent[]> {
  try {
    const entries: Dirent[] = [];
    for await (const entry of await opendir(path)) if (!entry.name.startsWith('.')) entries.push(entry);
    return byName(entries);
  } catch (thrown) {
    throw wrongFolder(`the folder ${path} cannot be read: ${describeError(thrown)}`);
  }
}

function wrongFolder(what: string): UserError {
  return new UserError({
    input: 'spool-path',
    what,
    remedy:
      'Set `spool-path` to the folder into which an earlier step downloaded the spools. It may be empty. Archives must be unpacked.',
  });
}

function isArchiveFile(entry: Dirent): boolean {
  return entry.isFile() && archiveName.test(entry.name);
}

/** The walk through the folder of one run. */
class Walk {
  readonly items: FoundItem[] = [];
  readonly refused: RefusedPath[] = [];
  hasFiles = false;
  readonly #runId: string | undefined;
  #entries = 0;

  constructor(runId: string | undefined) {
    this.#runId = runId;
  }

  async visit({ path, name, depth }: Visited): Promise<void> {
    const entries = await this.#read(path, name);
    if (entries === undefined) return;
    const links = entries.filter((entry) => entry.isSymbolicLink());
    for (const link of links) this.#refuse(`${name}/${link.name}`, 'is a symbolic link');
    if (entries.some((entry) => itemFiles.has(entry.name))) {
      if (links.length === 0) this.#addItem(path, name, depth);
      return;
    }
    this.hasFiles ||= entries.some((entry) => entry.isFile());
    for (const entry of entries) {
      const inner = { path: join(path, entry.name), name: `${name}/${entry.name}`, depth: depth + 1 };
      if (isArchiveFile(entry)) this.#refuse(inner.name, isArchive);
      if (!entry.isDirectory()) continue;
      if (depth >= maximumDepth) this.#refuse(inner.name, 'is nested too deeply');
      else await this.visit(inner);
    }
  }

  #addItem(path: string, name: string, depth: number): void {
    if (this.#runId === undefined) {
      this.#refuse(name, noRun);
    } else if (depth === 1) {
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
