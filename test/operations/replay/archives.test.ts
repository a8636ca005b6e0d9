import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { replayedHeader } from '../../../src/contract/idempotency.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { jsonAnswer } from '../../support/answering-transport.ts';
import { forgeTar, forgeTarGz, forgeZip, type ForgedEntry } from '../../support/archives.ts';
import { itWithPosixFiles } from '../../support/platform.ts';
import { accepts, replaySpools } from '../../support/replay-spools.ts';
import { forgedFiles, forgeItem, sampleAttachment, sampleEntry, sampleManifest } from '../../support/spool.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

let workspace: TemporaryWorkspace;

beforeEach(async () => {
  workspace = await temporaryWorkspace();
  await mkdir(join(workspace.path, 'spools'));
});

afterEach(() => workspace.remove());

/** The files of an item with a key of its own. */
function item(key: string, changes: Readonly<Record<string, unknown>> = {}): readonly ForgedEntry[] {
  return forgedFiles(
    `item-${key}`,
    { ...sampleManifest, idempotency_key: `4242-${key}`, ...changes },
    sampleAttachment,
  );
}

const statesOf = ({ response }: OperationResult): unknown => response;

describe('replay of archives', () => {
  it.each([
    ['an artifact as GitHub sends it', '4242/compliance-spool-build-2.zip', forgeZip(item('a'))],
    ['an archive of a run', '4242.zip', forgeZip(item('a'))],
    ['a compressed tar archive', '4242/spool.tar.gz', forgeTarGz(item('a'))],
    ['one with a short suffix', '4242.tgz', forgeTarGz(item('a'))],
    ['a tar archive in a folder', '4242/spool/all.tar', forgeTar(item('a'))],
  ])('delivers the items of %s as those of a folder, and removes what it unpacked', async (_what, name, bytes) => {
    await workspace.write(`spools/${name}`, bytes);
    const { result, keys, bodies } = await replaySpools(workspace);
    expect(result).toMatchObject({ outcome: 'done', count: 1 });
    expect(statesOf(result)).toMatchObject([{ item: `${name}/item-a`, state: 'delivered' }]);
    expect(keys).toEqual(['a']);
    expect(bodies[0]).toContain('end_of_record');
    expect((await readdir(workspace.path)).filter((found) => found !== 'spools')).toEqual([]);
  });

  it('delivers one archive that the step names', async () => {
    await workspace.write('downloads/4242.zip', forgeZip(item('a')));
    const { result, keys } = await replaySpools(workspace, { inputs: { 'spool-path': 'downloads/4242.zip' } });
    expect(result.outcome).toBe('done');
    expect(keys).toEqual(['a']);
  });

  it('sends an archive again with the same keys, so that the service records nothing new', async () => {
    await workspace.write('spools/4242.zip', forgeZip(item('a')));
    await replaySpools(workspace);
    const again = await replaySpools(workspace, {
      service: () => jsonAnswer(201, 'OK', { ...accepts, [replayedHeader]: 'true' }),
    });
    expect(again.keys).toEqual(['a']);
    expect(statesOf(again.result)).toMatchObject([{ state: 'on record' }]);
  });

  it('checks the items of archives as those of folders', async () => {
    const run = { ...sampleEntry.run, run_id: '7' };
    await workspace.write('spools/4242.zip', forgeZip([...item('a', { run }), ...item('b', { version: 7 })]));
    const { result, keys } = await replaySpools(workspace);
    expect(keys).toEqual([]);
    expect(statesOf(result)).toMatchObject([
      { item: '4242.zip/item-b', reason: expect.stringContaining('version 7') },
      { item: '4242.zip/item-a', reason: expect.stringContaining('was downloaded from run 4242') },
    ]);
  });

  it('refuses hostile archives, delivers the others, and is red then', async () => {
    await workspace.write('spools/4242/escape.zip', forgeZip([...item('a'), { name: '../../evil', content: 'x' }]));
    await workspace.write('spools/4242/link.tar', forgeTar([...item('b'), { name: 'l', type: '2', target: '/etc' }]));
    await workspace.write('spools/4242/cut.tgz', forgeTarGz(item('c')).subarray(0, 100));
    await workspace.write('spools/4242/nested.zip', forgeZip([{ name: 'inner.zip', content: forgeZip(item('d')) }]));
    await workspace.write('spools/unnamed.zip', forgeZip([...item('e')]));
    await workspace.write('spools/4242/good.zip', forgeZip(item('good')));
    const { result, keys } = await replaySpools(workspace);
    expect(keys).toEqual(['good']);
    expect(result.outcome).toBe('error');
    expect(statesOf(result)).toMatchObject([
      { item: '4242/cut.tgz', reason: 'cannot be unpacked: its compressed data is damaged or cut off' },
      { item: '4242/escape.zip', reason: expect.stringContaining('leads out of the archive') },
      { item: '4242/link.tar', reason: expect.stringContaining('"l" is a symbolic link') },
      { item: '4242/nested.zip/inner.zip', reason: expect.stringContaining('inside an archive') },
      { item: 'unnamed.zip', reason: expect.stringContaining('named by the id of its workflow run') },
      { item: '4242/good.zip/item-good', state: 'delivered' },
    ]);
    expect(await readdir(workspace.path)).toEqual(['spools']);
  });

  it('does not let an archive choose its run', async () => {
    const files = item('a').map((file) => ({ ...file, name: `7/${file.name}` }));
    await workspace.write('spools/4242.zip', forgeZip(files));
    const { requests } = await replaySpools(workspace);
    expect(requests.filter(({ url }) => url.hostname === 'api.github.com').map(({ url }) => url.pathname)).toEqual([
      '/repos/acme/widgets/actions/runs/4242',
    ]);
  });

  itWithPosixFiles('does not follow a link to an archive', async () => {
    await workspace.write('elsewhere.zip', forgeZip(item('a')));
    await symlink(join(workspace.path, 'elsewhere.zip'), join(workspace.path, 'spools', '4242.zip'));
    const { result, keys } = await replaySpools(workspace);
    expect(keys).toEqual([]);
    expect(statesOf(result)).toMatchObject([{ item: '4242.zip', reason: 'is a symbolic link' }]);
  });

  it('leaves a file in an item alone, whatever its name is', async () => {
    const path = join(workspace.path, 'spools', '4242', 'item');
    await forgeItem(path, sampleManifest, sampleAttachment);
    await workspace.write('spools/4242/item/notes.zip', 'not an archive');
    expect((await replaySpools(workspace)).result.outcome).toBe('done');
  });

  it('says what `spool-path` may be', async () => {
    await workspace.write('spools/readme.txt', 'x');
    await expect(replaySpools(workspace, { inputs: { 'spool-path': 'spools/readme.txt' } })).rejects.toThrow(
      /the folder or archive .*readme\.txt cannot be read/u,
    );
  });
});
