import { type Dirent, realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { type Problem, UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';

/** Which files that a search finds are attached. */
export interface AttachmentRules {
  /** Whether hidden files, and links that lead out of the workspace, are attached, too. */
  readonly includesHidden: boolean;
  /** Gets a line about what is left out. */
  readonly log: Pick<Log, 'info'>;
}

/** Why a path is left out, as the end of a sentence: `.env is hidden`. */
type Reason = 'is hidden' | 'leads out of the workspace' | 'belongs to git';

/** Something that a search came to, but that is not attached. */
export interface LeftOut {
  /** From the workspace, with forward slashes. */
  readonly name: string;
  readonly reason: Reason;
}

/** The maximum number of paths that a line in the log and an error name. */
const maximumNamed = 20;

/**
 * Decides what one pattern attaches. A pattern can match more than its author thought of: the token in `.git/config`,
 * the keys in `.env`, or a file anywhere on the runner that a link leads to.
 */
export class AttachmentBoundary {
  readonly #includesHidden: boolean;
  readonly #workspace: string;
  /** The real paths of the directories that links may lead to, the most specific first. */
  readonly #roots: readonly string[];
  readonly #base: string;

  /** @param base the part of the pattern before its first wildcard, which exists */
  constructor(workspace: string, base: string, { includesHidden }: Pick<AttachmentRules, 'includesHidden'>) {
    this.#includesHidden = includesHidden;
    this.#workspace = workspace;
    this.#base = base;
    const realWorkspace = toRealPath(workspace) ?? workspace;
    const realBase = toRealPath(base) ?? base;
    // A path outside the workspace is not a link that leads there: somebody has written it.
    const isOutside = !isInside(workspace, base);
    this.#roots = isOutside || isInside(realWorkspace, realBase) ? [realBase, realWorkspace] : [realWorkspace];
  }

  /** Checks the base, which may be hidden, because it is named. */
  checkBase(): LeftOut | undefined {
    const real = toRealPath(this.#base) ?? this.#base;
    if (belongsToGit(this.#workspace, this.#base) || belongsToGit(this.#roots.at(-1) ?? '', real))
      return this.#leaveOut(this.#base, 'belongs to git');
    const isKnown = this.#includesHidden || this.#roots.some((root) => isInside(root, real));
    return isKnown ? undefined : this.#leaveOut(this.#base, 'leads out of the workspace');
  }

  /** @param isNamed whether the pattern has the entry's name, not only wildcards for it */
  checkEntry(entry: Dirent, path: string, isNamed: boolean): LeftOut | undefined {
    if (isGit(entry.name)) return this.#leaveOut(path, 'belongs to git');
    if (!isNamed && !this.#includesHidden && isHidden(entry.name)) return this.#leaveOut(path, 'is hidden');
    return entry.isSymbolicLink() ? this.#checkLink(path) : undefined;
  }

  #checkLink(path: string): LeftOut | undefined {
    const real = toRealPath(path);
    // The search reports a broken link.
    if (real === undefined) return undefined;
    if (belongsToGit(this.#roots.at(-1) ?? '', real)) return this.#leaveOut(path, 'belongs to git');
    if (this.#includesHidden) return undefined;
    const root = this.#roots.find((one) => isInside(one, real));
    if (root === undefined) return this.#leaveOut(path, 'leads out of the workspace');
    return namesBetween(root, real).some(isHidden) ? this.#leaveOut(path, 'is hidden') : undefined;
  }

  #leaveOut(path: string, reason: Reason): LeftOut {
    return { name: namesBetween(this.#workspace, path).join('/'), reason };
  }
}

/**
 * Checks a file that an input names, and whose content is sent. A pull request can replace it by a link.
 *
 * @throws UserError if a link in the workspace leads out of it, or if the file belongs to git
 */
export function requireOwnFile(input: string, path: string, workspace: string): void {
  const leftOut = new AttachmentBoundary(workspace, path, { includesHidden: false }).checkBase();
  if (leftOut === undefined) return;
  throw new UserError({
    input,
    what: `\`${input}\`: ${leftOut.name} ${leftOut.reason}, so it is not sent`,
    remedy: 'Name a file of the workspace, or the target of the link instead of the link.',
  });
}

/** What is left out, and why: `.env is hidden; …`. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string {
  const named = leftOut.slice(0, maximumNamed).map(({ name, reason }) => `${name} ${reason}`);
  const rest = leftOut.length > maximumNamed ? [`${leftOut.length - maximumNamed} more`] : [];
  return [...named, ...rest].join('; ');
}

/** The problem of a line that matches nothing but what is left out. */
export function nothingElse(line: string, leftOut: readonly LeftOut[]): Problem {
  const isGitOnly = leftOut.every(({ reason }) => reason === 'belongs to git');
  return {
    input: 'files',
    what: `No file matches "${line}", apart from what is left out: ${describeLeftOut(leftOut)}`,
    remedy: isGitOnly
      ? 'Check the spelling, or name other files: what belongs to git is never attached, because it can hold the token of the checkout.'
      : 'Name a hidden file by its path, without wildcards, and the target of a link instead of the link; or set `include-hidden-files: true`.',
  };
}

function toRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function isInside(directory: string, path: string): boolean {
  const between = relative(directory, path);
  return !isAbsolute(between) && between !== '..' && !between.startsWith(`..${sep}`);
}

function belongsToGit(directory: string, path: string): boolean {
  return namesBetween(directory, path).some(isGit);
}

function namesBetween(directory: string, path: string): readonly string[] {
  return relative(directory, path).split(sep);
}

/** Some file systems do not distinguish upper and lower case. */
function isGit(name: string): boolean {
  return name.toLowerCase() === '.git';
}

function isHidden(name: string): boolean {
  return name.startsWith('.') && name !== '..';
}
