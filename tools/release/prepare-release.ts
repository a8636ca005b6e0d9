import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type PageOrigin, withAbsoluteLinks } from './absolute-links.ts';
import { changelogSection, unwrap } from './changelog.ts';
import { missingFile, type PathKind, Repository } from './git.ts';
import { ReleaseError } from './release-error.ts';
import { isNewest, isNewestOfMajor, parseVersion, stableVersions, type Version } from './version.ts';

/** What runners download for every job is at most this large, in bytes. */
export const compressedLimit = 380_000;

/** What a release is made from. */
export interface ReleaseSource {
  /** The folder of a git repository that has the source and all tags. */
  readonly repository: string;
  readonly version: string;
  /** A branch, tag or SHA. */
  readonly source: string;
  /** The branch that releases are made from. */
  readonly main: string;
  /** The repository's web address: `https://github.com/owner/name`. */
  readonly repositoryUrl: string;
}

/** A release that is ready to be published. Its commit is in the repository, but no tag is. */
export interface Release {
  /** `v1.2.3` */
  readonly tag: string;
  /** `v1`, if it moves to this release. */
  readonly movingTag: string | undefined;
  readonly isPreRelease: boolean;
  /** Whether it is the newest stable release, which GitHub shows first. */
  readonly isLatest: boolean;
  readonly sourceCommit: string;
  readonly releaseCommit: string;
  /** Markdown. */
  readonly notes: string;
  /** The commit as a `.tar.gz`, as runners download it. */
  readonly archive: Buffer;
  readonly archiveName: string;
  /** The SHA-256 of the archive and of each file in it, in the format of `sha256sum`. */
  readonly checksums: string;
}

/** What the release commit has of the source commit as it is. The README is rewritten. */
const required = ['LICENSE', 'action.yml', 'dist'];
const optional = ['actions'];
const readme = 'README.md';

/**
 * Makes the release commit, its archive and its notes. The same source commit always makes the same release commit,
 * because its date is the source's, and because it has no parent.
 *
 * @throws ReleaseError if the source is not on the main branch, its version is another, the changelog has no section of
 *   it, a file is missing, a link is broken, the archive is too large, or the tag belongs to another commit
 */
export function prepareRelease(settings: ReleaseSource): Release {
  const repository = new Repository(settings.repository);
  const version = parseVersion(settings.version);
  const sourceCommit = repository.commitOf(settings.source);
  requireOnMain(repository, sourceCommit, settings.main);
  requirePackageVersion(repository, sourceCommit, version);

  const project = {
    repository,
    commit: sourceCommit,
    kinds: repository.kinds(sourceCommit),
    url: settings.repositoryUrl.replace(/\/+$/u, ''),
  };
  const changes = changesOf(project, version);
  const tag = `v${version.text}`;
  const releaseCommit = storeReleaseCommit(project, tag);
  requireUnusedTag(repository, tag, releaseCommit);

  const archiveName = `${nameOf(project)}-${tag}.tar.gz`;
  const archive = gzipSync(repository.archive(releaseCommit, `${nameOf(project)}-${version.text}`));
  requireSmall(archive);
  const stable = stableVersions(repository.tags());
  return {
    tag,
    movingTag: isNewestOfMajor(version, stable) ? `v${version.numbers[0]}` : undefined,
    isPreRelease: version.isPreRelease,
    isLatest: isNewest(version, stable),
    sourceCommit,
    releaseCommit,
    notes: notesOf(project, { changes, tag, releaseCommit }),
    archive,
    archiveName,
    checksums: checksumsOf([{ path: archiveName, content: archive }, ...repository.files(releaseCommit)]),
  };
}

/** The source of a release, and where people find it. */
interface Project {
  readonly repository: Repository;
  readonly commit: string;
  readonly kinds: ReadonlyMap<string, PathKind>;
  readonly url: string;
}

function requireOnMain(repository: Repository, commit: string, main: string): void {
  if (repository.contains(repository.commitOf(main), commit)) return;
  throw new ReleaseError(`Commit ${commit} is not on ${main}. Merge it first, and tag the commit on ${main}.`);
}

function requirePackageVersion(repository: Repository, commit: string, version: Version): void {
  const content: unknown = JSON.parse(repository.readText(commit, 'package.json'));
  const found = typeof content === 'object' && content !== null && 'version' in content ? content.version : undefined;
  if (found === version.text) return;
  throw new ReleaseError(
    `The release is ${version.text}, but package.json of commit ${commit} has the version ${String(found)}. ` +
      `Change the version on the main branch (see CONTRIBUTING.md), or tag the commit that has it.`,
  );
}

function requireUnusedTag(repository: Repository, tag: string, releaseCommit: string): void {
  const tagged = repository.tagged(tag);
  // The same commit: this release was started before, and can be completed.
  if (tagged === undefined || tagged === releaseCommit) return;
  throw new ReleaseError(
    `The tag ${tag} exists already, and points to ${tagged} instead of ${releaseCommit}. ` +
      'A release never changes: choose the next version.',
  );
}

function requireSmall(archive: Buffer): void {
  if (archive.length <= compressedLimit) return;
  throw new ReleaseError(
    `The release is ${archive.length} bytes when compressed; the limit is ${compressedLimit}, because every job ` +
      'downloads it. Find in dist/ what has grown (tools/bundle/README.md).',
  );
}

function storeReleaseCommit(project: Project, tag: string): string {
  const { repository, commit, kinds, url } = project;
  const missing = required.find((name) => !kinds.has(name));
  if (missing !== undefined) throw missingFile(commit, missing);
  const page = releasedReadme(project);
  const tree = repository.storeTree(commit, [...required, ...optional], { [readme]: repository.storeFile(page) });
  return repository.storeCommit({
    tree,
    message: `Release ${tag}\n\nBuilt from ${url}/commit/${commit}\n\nSource-Commit: ${commit}\n`,
    // The user of GitHub Actions.
    name: 'github-actions[bot]',
    email: '41898282+github-actions[bot]@users.noreply.github.com',
    seconds: repository.secondsOf(commit),
  });
}

function releasedReadme(project: Project): string {
  return withAbsoluteLinks(project.repository.readText(project.commit, readme), {
    ...originOf(project, readme),
    isKept: (path) => [readme, ...required, ...optional].includes(path.split('/')[0] ?? ''),
    isExcerpt: false,
  });
}

function changesOf(project: Project, version: Version): string {
  const page = 'CHANGELOG.md';
  const { text, line } = changelogSection(project.repository.readText(project.commit, page), version.text);
  const origin = { ...originOf(project, page), isKept: () => false, isExcerpt: true };
  return unwrap(withAbsoluteLinks(text, origin, line));
}

function originOf({ commit, kinds, url }: Project, page: string): Omit<PageOrigin, 'isKept' | 'isExcerpt'> {
  return { page, commit, repositoryUrl: url, kinds };
}

interface ReleasedChanges {
  readonly changes: string;
  readonly tag: string;
  readonly releaseCommit: string;
}

function notesOf({ url, commit }: Project, { changes, tag, releaseCommit }: ReleasedChanges): string {
  const repository = new URL(url).pathname.slice(1);
  return [
    changes,
    '## Pin and verify',
    `\`\`\`yaml\nuses: ${repository}@${releaseCommit} # ${tag}\n\`\`\``,
    `Built from [\`${commit.slice(0, 12)}\`](${url}/commit/${commit}). To verify this, check out \`${tag}\` ` +
      'or unpack the archive, and run:',
    `\`\`\`sh\ngh attestation verify dist/index.js --repo ${repository}\n\`\`\``,
    '',
  ].join('\n\n');
}

function nameOf({ url }: Project): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}

function checksumsOf(files: readonly { readonly path: string; readonly content: Buffer }[]): string {
  return files.map(({ path, content }) => `${createHash('sha256').update(content).digest('hex')}  ${path}\n`).join('');
}
