import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { zipFiles } from '../../../src/service/audit-package/zip-response.ts';
import { unzip } from '../../support/audit-package.ts';

describe('a ZIP that is made while it is sent', () => {
  it('has each file as it is, and the manifest last', async () => {
    const content = Buffer.alloc(100_000);
    const zip = zipFiles(
      (async function* () {
        await Promise.resolve();
        yield { name: 'a.json', text: '{}' };
        yield { name: 'b', stream: Readable.from([content]), digest: 'd'.repeat(64) };
        yield { name: 'c', stream: Readable.from([content]), digest: 'e'.repeat(64) };
      })(),
      new Date(0),
    );
    const files = await unzip(await buffer(zip));
    expect([...files.keys()]).toEqual(['a.json', 'b', 'c', 'MANIFEST']);
    expect(files.get('c')).toEqual(content);
  });

  it.each(['the files', 'a file'])('has no end if %s cannot be read', async (what) => {
    const error = new Error('the disk failed');
    const failing = new Readable({
      read() {
        this.destroy(error);
      },
    });
    const zip = zipFiles(
      (async function* () {
        await Promise.resolve();
        yield { name: 'a.json', text: '{}' };
        if (what === 'the files') throw error;
        yield { name: 'b', stream: failing, digest: '' };
      })(),
      new Date(0),
    );
    await expect(buffer(zip)).rejects.toBe(error);
  });

  it('closes what it reads when the client leaves, and asks for no more', async () => {
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(16_384));
      },
    });
    const ended = Promise.withResolvers<undefined>();
    const zip = zipFiles(
      (async function* () {
        try {
          await Promise.resolve();
          yield { name: 'b', stream: endless, digest: '' };
          yield { name: 'c', text: '' };
        } finally {
          ended.resolve(undefined);
        }
      })(),
      new Date(0),
    );
    await once(zip, 'readable');
    zip.destroy();
    await ended.promise;
    expect(endless.destroyed).toBe(true);
  });
});
