import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  compressedLimit,
  prepareRelease,
  type Release,
  type ReleaseSource,
} from '../../../tools/release/prepare-release.ts';
import { committerSeconds } from '../../support/git-repository.ts';
import { linksOf } from '../../support/markdown.ts';
import { copyRepository, type SourceRepository, sourceRepository } from './source-repository.ts';

const repositoryUrl = 'https://github.com/acme/compliance-action';
let original: SourceRepository;
let repository: SourceRepository;

beforeAll(() => {
  original = sourceRepository();
});

afterAll(() => {
  original.remove();
});

beforeEach(() => {
  repository = copyRepository(original);
});

afterEach(() => {
  repository.remove();
});

function prepare(version = '1.2.3', settings: Partial<ReleaseSource> = {}): Release {
  return prepareRelease({
    repository: repository.path,
    version,
    source: 'HEAD',
    main: 'main',
    repositoryUrl,
    ...settings,
  });
}

/** Tags a version as a release does. */
function publish({ tag, movingTag, releaseCommit }: Release): void {
  for (const name of [tag, movingTag]) if (name !== undefined) repository.git('tag', '--force', name, releaseCommit);
}

describe('the release commit', () => {
  it('holds only what runners and readers need, byte for byte but for the README', () => {
    const { releaseCommit } = prepare();
    const names = repository.git('ls-tree', '--name-only', releaseCommit).split('\n');
    expect(names).toEqual(['LICENSE', 'README.md', 'action.yml', 'dist']);
    for (const name of ['LICENSE', 'action.yml', 'dist'])
      expect(repository.git('rev-parse', `${releaseCommit}:${name}`)).toBe(repository.git('rev-parse', `HEAD:${name}`));
  });

  it('holds the folder actions/, if there is one', () => {
    repository.commit({ 'actions/gate/action.yml': 'name: Gate\n' });
    const { releaseCommit } = prepare();
    expect(repository.git('show', `${releaseCommit}:actions/gate/action.yml`)).toBe('name: Gate');
  });

  it('names the source commit, has its date and has no parent', () => {
    const source = repository.git('rev-parse', 'HEAD');
    const { releaseCommit, sourceCommit } = prepare();
    expect(sourceCommit).toBe(source);
    expect(repository.git('show', '--no-patch', '--format=%P|%ct|%at|%cn', releaseCommit)).toBe(
      `|${committerSeconds}|${committerSeconds}|github-actions[bot]`,
    );
    expect(repository.git('show', '--no-patch', '--format=%B', releaseCommit)).toBe(
      `Release v1.2.3\n\nBuilt from ${repositoryUrl}/commit/${source}\n\nSource-Commit: ${source}`,
    );
    expect(
      repository.git('show', '--no-patch', '--format=%(trailers:key=Source-Commit,valueonly)', releaseCommit),
    ).toBe(source);
  });

  it('is the same whenever and wherever it is made from the same source', () => {
    const { releaseCommit, archive } = prepare();
    const clone = `${repository.folder.path}/clone`;
    repository.folder.git(repository.folder.path, 'clone', '--quiet', repository.path, clone);
    const again = prepare('1.2.3', { repository: clone });
    expect(again.releaseCommit).toBe(releaseCommit);
    expect(again.archive.equals(archive)).toBe(true);
  });

  it('leaves branches, tags, index and working tree as they are', () => {
    const state = (): string => repository.git('for-each-ref') + repository.git('status', '--porcelain', '--branch');
    const before = state();
    prepare();
    expect(state()).toBe(before);
  });
});

describe('the released README', () => {
  it('leads to the source commit, or to files that are released', () => {
    const { releaseCommit, sourceCommit } = prepare();
    const page = `${repository.git('show', `${releaseCommit}:README.md`)}\n`;
    const inside = linksOf(page).filter((target) => target.startsWith(repositoryUrl));
    const prefix = new RegExp(`^${repositoryUrl}/(?:blob|tree|raw)/${sourceCommit}/`, 'u');
    expect(inside.length).toBeGreaterThan(10);
    for (const target of new Set(inside.map((link) => link.replace(/#.*$/u, '')))) {
      expect(target).toMatch(prefix);
      expect(repository.git('cat-file', '-t', `${sourceCommit}:${target.replace(prefix, '')}`)).toBe(
        target.includes('/tree/') ? 'tree' : 'blob',
      );
    }
    expect(linksOf(page).filter((target) => !/^(?:https?:|#)/u.test(target))).toEqual(['LICENSE']);
  });

  it('differs from the source in nothing else', () => {
    const { releaseCommit, sourceCommit } = prepare();
    const page = repository.git('show', `${releaseCommit}:README.md`);
    const relative = page.replaceAll(new RegExp(`${repositoryUrl}/(?:blob|tree|raw)/${sourceCommit}/`, 'gu'), '');
    expect(relative).toBe(repository.git('show', 'HEAD:README.md'));
  });
});

describe('the archive', () => {
  it('is what a runner downloads, and small', () => {
    const { archive, archiveName, releaseCommit } = prepare();
    expect(archiveName).toBe('compliance-action-v1.2.3.tar.gz');
    expect(gunzipSync(archive).toString('latin1')).toContain('compliance-action-1.2.3/dist/index.js');
    expect(repository.git('ls-tree', '-r', '--name-only', releaseCommit)).toContain('dist/index.js');
    expect(archive.length).toBeLessThanOrEqual(compressedLimit);
  });

  it('has a checksum, and so has each file in it', () => {
    const { archive, checksums, releaseCommit } = prepare();
    const sums = new Map(
      checksums
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(66), line.slice(0, 64)]),
    );
    const sum = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
    expect(sums.get('compliance-action-v1.2.3.tar.gz')).toBe(sum(archive));
    expect(sums.get('LICENSE')).toBe(sum(Buffer.from(`${repository.git('show', 'HEAD:LICENSE')}\n`)));
    const paths = repository.git('ls-tree', '-r', '--name-only', releaseCommit).split('\n');
    expect([...sums.keys()]).toEqual(['compliance-action-v1.2.3.tar.gz', ...paths]);
  });
});

describe('the notes', () => {
  it('are the section of the changelog, with absolute links, and say how to pin and verify', () => {
    const { notes, releaseCommit, sourceCommit } = prepare();
    const link = `${repositoryUrl}/blob/${sourceCommit}/docs/how-to/forks.md#forks`;
    expect(notes).toMatch(`- See [the gate](${link}), which waits.\n\n## Pin and verify\n`);
    expect(notes).toContain(`uses: acme/compliance-action@${releaseCommit} # v1.2.3\n`);
    expect(notes).toContain(`${repositoryUrl}/commit/${sourceCommit}`);
    expect(notes).toContain('gh attestation verify dist/index.js --repo acme/compliance-action\n');
  });
});

describe('the moving tag', () => {
  it('is that of the major version', () => {
    expect(prepare()).toMatchObject({ tag: 'v1.2.3', movingTag: 'v1', isLatest: true, isPreRelease: false });
  });

  it('does not move to a pre-release', () => {
    repository.commitVersion('1.3.0-rc.1');
    expect(prepare('1.3.0-rc.1')).toMatchObject({ movingTag: undefined, isLatest: false, isPreRelease: true });
  });

  it('does not move back to an older release', () => {
    publish(prepare());
    repository.commitVersion('1.2.2');
    expect(prepare('1.2.2')).toMatchObject({ tag: 'v1.2.2', movingTag: undefined, isLatest: false });
  });

  it('moves to a patch of an older major version, which is not the latest release', () => {
    publish(prepare());
    repository.commitVersion('2.0.0');
    publish(prepare('2.0.0'));
    repository.commitVersion('1.2.4');
    expect(prepare('1.2.4')).toMatchObject({ movingTag: 'v1', isLatest: false });
  });
});

describe('a release is refused', () => {
  it('if its commit is not on the main branch', () => {
    repository.git('switch', '--quiet', '--create', 'feature');
    const commit = repository.commit({ 'docs/new.md': 'New\n' });
    expect(() => prepare()).toThrow(`Commit ${commit} is not on main. Merge it first, and tag the commit on main.`);
  });

  it('if package.json has another version', () => {
    const commit = repository.git('rev-parse', 'HEAD');
    expect(() => prepare('1.2.4')).toThrow(
      `The release is 1.2.4, but package.json of commit ${commit} has the version 1.2.3. Change the version`,
    );
  });

  it('if the changelog has no section of the version', () => {
    repository.commit({ 'CHANGELOG.md': '# Changelog\n\n## [Unreleased]\n\n- A change.\n' });
    expect(() => prepare()).toThrow('CHANGELOG.md has no heading "## [1.2.3] - YYYY-MM-DD".');
  });

  it('if its tag belongs to another commit', () => {
    const { releaseCommit: earlier } = prepare();
    repository.git('tag', 'v1.2.3', earlier);
    repository.commit({ 'docs/new.md': 'New\n' });
    expect(() => prepare()).toThrow(`The tag v1.2.3 exists already, and points to ${earlier} instead of `);
  });

  it('but not if the tag is of the same release, which was interrupted', () => {
    const release = prepare();
    publish(release);
    expect(prepare()).toEqual(release);
  });

  it('if a file is missing', () => {
    repository.git('rm', '--quiet', '-r', 'LICENSE');
    const commit = repository.commit({});
    expect(() => prepare()).toThrow(
      `LICENSE is missing in commit ${commit}. Add it on the main branch, and tag again.`,
    );
  });

  it('if a link of the README is broken', () => {
    repository.git('rm', '--quiet', '-r', 'examples');
    repository.commit({});
    expect(() => prepare()).toThrow(
      /^README\.md:\d+ links to examples\/README\.md, which is not in commit [\da-f]{40}\./u,
    );
  });

  it('if it is too large', () => {
    const noise = randomBytes(compressedLimit);
    expect(gzipSync(noise).length).toBeGreaterThan(compressedLimit);
    repository.commit({ 'dist/noise.bin': noise });
    expect(() => prepare()).toThrow(`bytes when compressed; the limit is ${compressedLimit}`);
  });

  it('if the commit or the main branch does not exist', () => {
    expect(() => prepare('1.2.3', { source: 'nowhere' })).toThrow(
      `"nowhere" is not a branch, tag or commit in ${repository.path}. Check its name, and fetch it.`,
    );
    expect(() => prepare('1.2.3', { main: 'origin/main' })).toThrow('"origin/main" is not a branch');
  });
});
