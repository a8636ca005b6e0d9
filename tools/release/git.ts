import { execFileSync } from 'node:child_process';
import { ReleaseError } from './release-error.ts';

export type PathKind = 'file' | 'folder';

/** A file of a commit. */
export interface CommittedFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Data that git hashes into a commit. */
export interface CommitData {
  readonly tree: string;
  readonly message: string;
  /** Author and committer. */
  readonly name: string;
  readonly email: string;
  /** Unix seconds. */
  readonly seconds: number;
}

/** A git repository. Nothing here reads or changes its working tree or index. */
export class Repository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The SHA of the commit that a branch, tag or SHA names.
   *
   * @throws ReleaseError if there is none
   */
  commitOf(reference: string): string {
    const found = this.#attempt(['rev-parse', '--quiet', '--verify', '--end-of-options', `${reference}^{commit}`]);
    if (found === undefined)
      throw new ReleaseError(
        `"${reference}" is not a branch, tag or commit in ${this.#folder}. Check its name, and fetch it.`,
      );
    return found;
  }

  /** The SHA of the commit of a tag; undefined if there is no such tag. */
  tagged(tag: string): string | undefined {
    return this.#attempt(['rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`]);
  }

  tags(): readonly string[] {
    return this.#text(['tag', '--list']).split('\n');
  }

  /** Whether the history of `descendant` contains `commit`. */
  contains(descendant: string, commit: string): boolean {
    return this.#attempt(['merge-base', '--is-ancestor', commit, descendant]) !== undefined;
  }

  /** The committer's date, in Unix seconds. */
  secondsOf(commit: string): number {
    return Number(this.#text(['show', '--no-patch', '--format=%ct', commit]));
  }

  kinds(commit: string): ReadonlyMap<string, PathKind> {
    const entries = this.#text(['ls-tree', '-r', '-t', '-z', '--full-tree', commit]).split('\0');
    // `100644 blob SHA<tab>PATH`
    return new Map(
      entries.flatMap((entry) => {
        const [, type, path] = /^\d+ (\w+) [\da-f]+\t(.+)$/su.exec(entry) ?? [];
        return path === undefined ? [] : [[path, type === 'tree' ? 'folder' : 'file'] as const];
      }),
    );
  }

  /** @throws ReleaseError if the commit does not have the file */
  readText(commit: string, path: string): string {
    const object = `${commit}:${path}`;
    if (this.#attempt(['cat-file', '-e', object]) === undefined) throw missingFile(commit, path);
    return this.#run(['cat-file', 'blob', object]).toString('utf8');
  }

  files(commit: string): readonly CommittedFile[] {
    const paths = this.#text(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]).split('\0');
    return paths
      .filter((path) => path !== '')
      .map((path) => ({ path, content: this.#run(['cat-file', 'blob', `${commit}:${path}`]) }));
  }

  /** Stores a file, and returns the SHA of its blob. Line endings stay as they are. */
  storeFile(content: string): string {
    return this.#text(['hash-object', '-w', '--stdin'], { input: content });
  }

  /**
   * Stores a top folder that has these entries of a commit and these other files, and returns the SHA of its tree.
   *
   * @param files the SHAs of blobs, by name
   */
  storeTree(commit: string, names: readonly string[], files: Readonly<Record<string, string>>): string {
    const kept = this.#text(['ls-tree', '-z', '--full-tree', commit, '--', ...names]);
    const added = Object.entries(files).map(([name, blob]) => `100644 blob ${blob}\t${name}\0`);
    return this.#text(['mktree', '-z'], { input: kept + added.join('') });
  }

  /** Stores a commit without parents, and returns its SHA. The same data always has the same SHA. */
  storeCommit({ tree, message, name, email, seconds }: CommitData): string {
    const date = `${seconds} +0000`;
    return this.#text(['-c', 'i18n.commitEncoding=utf-8', 'commit-tree', tree], {
      input: message,
      environment: {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
        GIT_COMMITTER_DATE: date,
      },
    });
  }

  /** The files of a commit as a tar archive, as GitHub makes it: every path begins with `folder/`. */
  archive(commit: string, folder: string): Buffer {
    const settings = ['-c', 'core.autocrlf=false', '-c', 'tar.umask=0002'];
    return this.#run([...settings, 'archive', '--format=tar', `--prefix=${folder}/`, commit]);
  }

  /** Creates or moves a lightweight tag. */
  setTag(tag: string, commit: string): void {
    this.#run(['update-ref', `refs/tags/${tag}`, commit]);
  }

  /** Undefined if git fails. */
  #attempt(commandLine: readonly string[]): string | undefined {
    try {
      return this.#text(commandLine);
    } catch {
      return undefined;
    }
  }

  #text(commandLine: readonly string[], options: GitOptions = {}): string {
    return this.#run(commandLine, options).toString('utf8').trimEnd();
  }

  #run(commandLine: readonly string[], { input = '', environment = {} }: GitOptions = {}): Buffer {
    return execFileSync('git', ['-C', this.#folder, ...commandLine], {
      input,
      env: { ...process.env, ...environment },
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }
}

interface GitOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The error for a file or folder that a source commit must have. */
export function missingFile(commit: string, path: string): ReleaseError {
  return new ReleaseError(`${path} is missing in commit ${commit}. Add it on the main branch, and tag again.`);
}
