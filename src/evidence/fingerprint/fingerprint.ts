import { createHash, hash } from 'node:crypto';
import { type Dirent, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { UserError } from '../../runtime/failure.ts';
import { inspectPath } from '../files/file-kind.ts';
import { brokenLink, notAFile, unreadableError, wrapReadErrors } from '../files/file-problems.ts';
import { resolveArtifactPaths } from '../files/resolve-files.ts';
import { FileDigester } from './file-digest.ts';
import { ignoredPaths } from './ignore-file.ts';

/** The number of directory entries after which control returns to the event loop, so that a signal can end the step. */
const entriesPerTurn = 512;

/**
 * Computes the fingerprint of a file or a directory: 64 lowercase hex digits, the same as the service's public
 * command-line client computes.
 *
 * - The fingerprint of a file is the SHA-256 of its content. Links are followed.
 * - The fingerprint of a directory is the SHA-256 of concatenated hex digests, without the directory's own name.
 *   Entries are in the byte order of their names. Each adds the digest of its name, and then: a file, or a link to a
 *   file, the digest of its content; a link to a directory, the digest of the link's text; a directory, its entries in
 *   turn. Modes and times do not count. Paths that a `.kosli_ignore` in the directory matches are left out
 *   (`ignoredPaths`).
 *
 * @param path an absolute path, or one relative to the current directory
 * @throws UserError if nothing is there, a link is broken, or something is unreadable or is neither a file nor a
 * directory; the signal's reason soon after it is aborted
 */
export async function computeFingerprint(path: string, signal?: AbortSignal): Promise<string> {
  const found = inspectPath(path);
  switch (found?.kind) {
    case 'file':
      return digestFile(new FileDigester(), path, signal);
    case 'directory':
      return new DirectoryFingerprint(
        wrapReadErrors(path, () => realpathSync.native(path)),
        signal,
      ).compute();
    case 'broken':
      throw new UserError(brokenLink(path));
    case 'other':
      throw new UserError(notAFile(path));
    case undefined:
      throw unreadableError(path, 'no such file or directory, or the user may not open its directory');
  }
}

class DirectoryFingerprint {
  readonly #root: string;
  readonly #ignored: ReadonlySet<string>;
  readonly #digester = new FileDigester();
  readonly #total = createHash('sha256');
  /** Digests not yet in the total: one long update is cheaper than many short ones. */
  #pending = '';
  readonly #signal: AbortSignal | undefined;
  #entries = 0;

  constructor(root: string, signal: AbortSignal | undefined) {
    this.#root = root;
    this.#signal = signal;
    this.#ignored = ignoredPaths(root);
  }

  async compute(): Promise<string> {
    await this.#addDirectory(Buffer.from(this.#root), '');
    return this.#total.update(this.#pending).digest('hex');
  }

  /** @param relativePath the path from the root, written like the ignored paths */
  async #addDirectory(directory: Buffer, relativePath: string): Promise<void> {
    for (const entry of wrapReadErrors(directory, () => listInByteOrder(directory))) {
      const innerPath = this.#ignored.size === 0 ? '' : `${relativePath}/${entry.name.toString()}`;
      if (this.#ignored.has(innerPath)) continue;
      this.#entries += 1;
      if (this.#entries % entriesPerTurn === 0) await this.#yieldToEventLoop();
      this.#pending += hash('sha256', entry.name, 'hex');
      const path = Buffer.concat([directory, slash, entry.name]);
      if (entry.isDirectory()) {
        await this.#addDirectory(path, innerPath);
      } else {
        const digest = this.#contentDigest(entry, path);
        // `await` has a cost even without a promise, and most files are small.
        const known = typeof digest === 'string' ? digest : await digest;
        this.#pending += known;
      }
    }
  }

  async #yieldToEventLoop(): Promise<void> {
    this.#total.update(this.#pending);
    this.#pending = '';
    await setImmediate();
    this.#signal?.throwIfAborted();
  }

  #contentDigest(entry: Dirent<Buffer>, path: Buffer): string | Promise<string> {
    if (entry.isFile()) return digestFile(this.#digester, path, this.#signal);
    if (!entry.isSymbolicLink()) throw new UserError(notAFile(path.toString()));
    const target = wrapReadErrors(path, () => statSync(path, { throwIfNoEntry: false }));
    if (target === undefined) throw new UserError(brokenLink(path.toString()));
    // Not followed, so that there is neither a cycle nor a second copy of the directory.
    if (target.isDirectory()) return hash('sha256', readlinkSync(path, 'buffer'), 'hex');
    if (!target.isFile()) throw new UserError(notAFile(path.toString()));
    return digestFile(this.#digester, path, this.#signal);
  }
}

/** Accepted by every system. */
const slash = Buffer.from('/');

/** Lists the entries of a directory in the byte order of their names, the order of Go's `filepath.Walk`. */
function listInByteOrder(directory: Buffer): readonly Dirent<Buffer>[] {
  const entries = readdirSync(directory, { withFileTypes: true, encoding: 'buffer' });
  return entries.sort((one, other) => Buffer.compare(one.name, other.name));
}

function digestFile(
  digester: FileDigester,
  path: string | Buffer,
  signal: AbortSignal | undefined,
): string | Promise<string> {
  const digest = wrapReadErrors(path, () => digester.digest(path, signal));
  return typeof digest === 'string'
    ? digest
    : digest.catch((thrown: unknown) => {
        throw thrown === signal?.reason ? thrown : unreadableError(path, thrown);
      });
}

export interface FingerprintedArtifact {
  /** Its path from the workspace, or what a user calls it. */
  readonly name: string;
  readonly fingerprint: string;
}

/**
 * Computes the fingerprints of the files and directories that paths and globs match, in order. Works sequentially:
 * hashing keeps a core busy, so concurrency would only take memory.
 *
 * @throws UserError if nothing matches or something cannot be read; the signal's reason if it is aborted
 */
export async function* artifactFingerprints(request: {
  readonly patterns: readonly string[];
  readonly workspace: string;
  readonly signal?: AbortSignal | undefined;
}): AsyncGenerator<FingerprintedArtifact, void, undefined> {
  for (const { path, name } of await resolveArtifactPaths(request)) {
    yield { name, fingerprint: await computeFingerprint(path, request.signal) };
  }
}
