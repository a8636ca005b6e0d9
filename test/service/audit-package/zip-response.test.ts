import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { writeZip, type ZippedFile } from '../../../src/service/audit-package/zip-response.ts';
import { LongStream } from '../../../src/service/platform/server/streamed-response.ts';
import { unzip } from '../../support/audit-package.ts';

describe('a ZIP that is made while it is sent', () => {
  const begin = (files: AsyncIterable<ZippedFile>): { readonly output: LongStream; readonly failures: unknown[] } => {
    const output = new LongStream();
    const failures: unknown[] = [];
    writeZip(output, files, { mtime: new Date(0), failed: (error) => failures.push(error) });
    return { output, failures };
  };

  it('has each file as it is, and the manifest last', async () => {
    const content = Buffer.alloc(100_000);
    const { output, failures } = begin(
      (async function* () {
        await Promise.resolve();
        yield { name: 'a.json', text: '{}' };
        yield { name: 'b', stream: Readable.from([content]), digest: 'd'.repeat(64) };
        yield { name: 'c', stream: Readable.from([content]), digest: 'e'.repeat(64) };
      })(),
    );
    const files = await unzip(await buffer(output));
    expect([...files.keys()]).toEqual(['a.json', 'b', 'c', 'MANIFEST']);
    expect(files.get('c')).toEqual(content);
    expect(failures).toEqual([]);
  });

  it.each(['the files', 'a file'])('has no end if %s cannot be read', async (what) => {
    const error = new Error('the disk failed');
    const failing = new Readable({
      read() {
        this.destroy(error);
      },
    });
    const { output, failures } = begin(
      (async function* () {
        await Promise.resolve();
        yield { name: 'a.json', text: '{}' };
        if (what === 'the files') throw error;
        yield { name: 'b', stream: failing, digest: '' };
      })(),
    );
    await expect(buffer(output)).rejects.toBe(error);
    expect(failures).toEqual([error]);
  });

  it('closes what it reads when the client leaves, and asks for no more', async () => {
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(16_384));
      },
    });
    const ended = Promise.withResolvers<undefined>();
    const { output, failures } = begin(
      (async function* () {
        try {
          await Promise.resolve();
          yield { name: 'b', stream: endless, digest: '' };
          yield { name: 'c', text: '' };
        } finally {
          ended.resolve(undefined);
        }
      })(),
    );
    await once(output, 'readable');
    output.destroy();
    await ended.promise;
    expect(endless.destroyed).toBe(true);
    expect(failures).toEqual([]);
  });
});
