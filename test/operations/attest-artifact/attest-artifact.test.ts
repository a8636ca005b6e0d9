import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { artifactReport } from '../../../src/contract/artifact-report.ts';
import { violations } from '../../../src/contract/check.ts';
import { TransportError } from '../../../src/http/transport.ts';
import { isMapping, type Mapping } from '../../../src/runtime/untrusted-data.ts';
import { shas } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import {
  answersInTurn,
  type PerformedOperation,
  performOperation,
  type ScriptedAnswer,
} from '../../support/perform-operation.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const digest = 'ab'.repeat(32);
const ok = { status: 201, body: { message: 'OK', html_url: 'https://compliance.example.com/acme/flows/web/trails/t' } };
const refused = { status: 400, body: { message: 'no' } };
const lost = new TransportError('unreachable', false, 'connect ECONNREFUSED');

const workspace = workspaceForEachTest();

interface Run extends PerformedOperation {
  readonly documents: readonly Mapping[];
}

/** Runs the operation; the service returns the answers in order and repeats the last one. */
async function attest(
  inputs: Readonly<Record<string, string>>,
  ...[first = ok, ...others]: readonly (ScriptedAnswer | Error)[]
): Promise<Run> {
  const done = await performOperation(
    'attest-artifact',
    { flow: 'web', retries: '0', ...inputs },
    answersInTurn(first, ...others),
    workspace.path,
    // Items of a spool have random names.
    { random: seededRandom(1) },
  );
  const documents = done.requests.map(({ path, body }) => {
    const document: unknown = JSON.parse(body);
    expect([path, violations(artifactReport, document)]).toEqual(['/artifacts/acme/web', []]);
    return isMapping(document) ? document : {};
  });
  return { ...done, documents };
}

describe('attest-artifact', () => {
  it('reports an artifact with its commit, run and repository', async () => {
    const { result, documents } = await attest({ fingerprint: `sha256:${digest}`, filename: 'web.tgz' });
    expect(documents).toEqual([
      {
        fingerprint: digest,
        filename: 'web.tgz',
        trail_name: shas.head,
        git_commit: shas.head,
        git_commit_info: expect.objectContaining({ sha1: shas.head }),
        commit_url: `https://github.com/acme/widgets/commit/${shas.head}`,
        build_url: 'https://github.com/acme/widgets/actions/runs/4242/attempts/2',
        repo_url: 'https://github.com/acme/widgets',
        repo_info: expect.objectContaining({ name: 'acme/widgets', provider: 'github' }),
        user_data: { idempotency_key: expect.stringMatching(/^4242-/u) },
      },
    ]);
    expect(result).toMatchObject({
      ...{ outcome: 'done', fingerprint: digest, count: 1, commits: [shas.head] },
      htmlUrl: expect.stringContaining('/flows/web/trails/t'),
      conclusion: `Artifact web.tgz is recorded in flow web, trail ${shas.head.slice(0, 12)}.`,
    });
  });

  it('takes an image by its digest, a name of the template, a trail and user data', async () => {
    const { documents } = await attest({
      image: `ghcr.io/acme/web:1.2@sha256:${digest}`,
      ...{ 'artifact-name': 'web', trail: 'release-1', 'user-data': '{"size": 12345678901234567890}' },
      'redact-commit-info': 'author',
    });
    expect(documents).toMatchObject([
      {
        fingerprint: digest,
        filename: 'ghcr.io/acme/web:1.2',
        template_reference_name: 'web',
        trail_name: 'release-1',
      },
    ]);
    expect(documents[0]).toHaveProperty('user_data');
    expect(documents[0]?.['git_commit_info']).not.toHaveProperty('author');
  });

  it('computes the fingerprints of files, and reads those of a checksums file', async () => {
    for (const name of ['a', 'b']) await workspace.write(`dist/${name}.tgz`, name);
    const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');
    const files = await attest({ files: 'dist/*.tgz' });
    const expected = ['a', 'b'].map((name) => ({ filename: `dist/${name}.tgz`, fingerprint: sumOf(name) }));
    expect(files.documents).toMatchObject(expected);
    expect(files.result).toMatchObject({ count: 2, fingerprint: `${sumOf('a')}\n${sumOf('b')}`, outcome: 'done' });
    await workspace.write('SUMS', ['a', 'b'].map((name) => `${sumOf(name)}  dist/${name}.tgz\n`).join(''));
    expect((await attest({ 'checksums-path': 'SUMS' })).documents).toMatchObject(expected);
  });

  it('links to the trail even if the answer does not, but only if an artifact is recorded', async () => {
    const inputs = { fingerprint: digest, filename: 'a', trail: 't', 'on-outage': 'keep', 'spool-path': 'spool' };
    const page = 'https://compliance.example.com/acme/flows/web/trails/t';
    const linked = async (answer: ScriptedAnswer | Error): Promise<unknown> => {
      const { htmlUrl, report } = (await attest(inputs, answer)).result;
      return [htmlUrl, report.facts.find(({ label }) => label === 'Trail')?.value.href];
    };
    expect(await linked({ status: 201, body: { message: 'OK' } })).toEqual([page, page]);
    expect(await linked(lost)).toEqual([undefined, undefined]);
  });

  it('says which of several artifacts are recorded if one is refused', async () => {
    await workspace.write('SUMS', ['a', 'b', 'c'].map((name) => `${digest}  ${name}\n`).join(''));
    const { result, documents } = await attest({ 'checksums-path': 'SUMS' }, ok, refused);
    expect(documents).toHaveLength(2);
    expect(result).toMatchObject({
      ...{ outcome: 'error', count: 1 },
      failure: expect.objectContaining({ message: expect.stringContaining('returned 400') }),
      conclusion: expect.stringMatching(/^1 of 3 artifacts is recorded .*: a\. Not recorded: b, c, because .*400/u),
      response: [{ state: 'recorded' }, { state: 'failed' }, { state: 'not sent' }],
    });
    const only = await failureOf(attest({ fingerprint: digest, filename: 'a' }, refused));
    expect(only.message).toContain('returned 400');
  });

  it('keeps every artifact during an outage, and does not wait for the service again', async () => {
    await workspace.write('SUMS', ['a', 'b', 'c'].map((name) => `${digest}  ${name}\n`).join(''));
    const keep = { 'on-outage': 'keep', 'spool-path': 'spool', retries: '2' };
    const { result, documents } = await attest({ 'checksums-path': 'SUMS', ...keep }, ok, lost);
    expect(documents.map(({ filename }) => filename)).toEqual(['a', 'b', 'b', 'b', 'c']);
    expect(result).toMatchObject({ outcome: 'kept', count: 1, spoolPath: join(workspace.path, 'spool') });
    const items = await readdir(join(workspace.path, 'spool'));
    expect(items).toHaveLength(2);
    const manifests = await Promise.all(
      items.map(async (item): Promise<unknown> =>
        JSON.parse(await readFile(join(workspace.path, 'spool', item, 'manifest.json'), 'utf8')),
      ),
    );
    expect(manifests).toEqual(
      expect.arrayContaining(
        ['b', 'c'].map((filename) =>
          expect.objectContaining({
            operation: 'attest-artifact',
            parameters: { flow_name: 'web' },
            document: expect.objectContaining({ filename, git_commit: shas.head }),
            idempotency_key: expect.stringMatching(/^4242-[\w-]{43}$/u),
          }),
        ),
      ),
    );
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['no artifact', {}, 'but none is'],
    ['two kinds', { fingerprint: digest, image: `web@sha256:${digest}` }, 'but 2 are'],
    ['a fingerprint without a name', { fingerprint: digest }, 'has no name'],
    ['a filename without a fingerprint', { filename: 'a', files: 'a' }, 'only for `fingerprint`'],
    ['an image without a tag', { image: 'ghcr.io/acme/web:' }, 'which is not the name of an image'],
    ['an image with an empty digest', { image: 'ghcr.io/acme/web@' }, 'must be an image: `registry/name:tag`'],
    ['an image with a short digest', { image: 'web@sha256:abc' }, 'must be an image: `registry/name:tag`'],
    [
      'an image with another digest',
      { image: `web@sha512:${digest}${digest}` },
      'must be an image: `registry/name:tag`',
    ],
    ['an image without a name', { image: `@sha256:${digest}` }, 'must be an image: `registry/name:tag`'],
    [
      'a very long image',
      { image: `${'n'.repeat(1_000_000)}@sha256:${digest}` },
      'must be an image: `registry/name:tag`',
    ],
    ['a checksums file that is missing', { 'checksums-path': 'SUMS' }, 'is not a file'],
    ['files that do not exist', { files: 'dist/*' }, 'No file matches'],
    ['reserved user data', { fingerprint: digest, filename: 'a', 'user-data': '{"gathered_at":1}' }, 'itself sets'],
  ])('refuses %s', async (_case, inputs, words) => {
    const failure = await failureOf(attest(inputs));
    expect(failure.message).toContain(words);
    expect(failure.message.length).toBeLessThan(1000);
  });

  it('refuses one name for several artifacts', async () => {
    for (const name of ['a', 'b']) await workspace.write(name, name);
    const failure = await failureOf(attest({ files: 'a\nb', 'artifact-name': 'web' }));
    expect(failure.message).toContain('names one artifact of the template, but there are 2 artifacts');
  });
});
