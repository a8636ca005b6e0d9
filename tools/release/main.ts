import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Repository } from './git.ts';
import { prepareRelease, type Release } from './prepare-release.ts';
import { ReleaseError } from './release-error.ts';

// Makes the release commit of a version, its archive and its notes; with --tag also its tags. Publishes nothing: that
// is done by .github/workflows/release.yml, which runs this without `npm ci`. So nothing here may import a package.
const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    out: { type: 'string', default: 'build/release' },
    source: { type: 'string', default: 'HEAD' },
    main: { type: 'string', default: 'main' },
    repository: { type: 'string', default: '.' },
    'repository-url': { type: 'string', default: 'https://github.com/OWNER/compliance-action' },
    tag: { type: 'boolean', default: false },
  },
});
try {
  if (values.version === undefined)
    throw new ReleaseError('The version is missing. Run: npm run release -- --version 1.2.3');
  const release = prepareRelease({
    repository: resolve(values.repository),
    version: values.version,
    source: values.source,
    main: values.main,
    repositoryUrl: values['repository-url'],
  });
  if (values.tag) createTags(new Repository(resolve(values.repository)), release);
  writeRelease(resolve(values.out), release);
  console.log(`${release.tag}: commit ${release.releaseCommit}, from source commit ${release.sourceCommit}`);
  console.log(`${release.archive.length} bytes compressed, in ${resolve(values.out)}`);
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function createTags(repository: Repository, { tag, movingTag, releaseCommit }: Release): void {
  for (const name of [tag, movingTag]) if (name !== undefined) repository.setTag(name, releaseCommit);
}

/** Writes the files that the workflow attests and publishes. */
function writeRelease(folder: string, release: Release): void {
  const { tag, movingTag, isPreRelease, isLatest, sourceCommit, releaseCommit, archiveName } = release;
  const description = { tag, movingTag, isPreRelease, isLatest, sourceCommit, releaseCommit, archiveName };
  // The tag of the version is created and never moved; only that of the major version is forced.
  const references = [`refs/tags/${tag}`, ...(movingTag === undefined ? [] : [`+refs/tags/${movingTag}`])];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify(description, undefined, 2)}\n`);
  writeFileSync(join(folder, 'references.txt'), `${references.join('\n')}\n`);
  writeFileSync(join(folder, 'notes.md'), release.notes);
  writeFileSync(join(folder, 'SHA256SUMS'), release.checksums);
  writeFileSync(join(folder, archiveName), release.archive);
}
