import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { refuseSecrets, type Upload } from '../../../src/evidence/upload/refuse-secrets.ts';
import { failureOf } from '../../support/failures.ts';

const secret = 'the-key-of-acme-0123';
const forms = [secret, Buffer.from(secret).toString('base64')];

/** Content in chunks of this size, which share one buffer as those of an attachment do. */
function contentOf(content: Uint8Array, size = 3): { open(): AsyncIterable<Uint8Array> } {
  return {
    async *open() {
      const buffer = Buffer.alloc(size);
      for (let at = 0; at < content.length; at += size) {
        const part = content.subarray(at, at + size);
        buffer.set(part);
        yield await Promise.resolve(buffer.subarray(0, part.length));
      }
    },
  };
}

function check(upload: Partial<Upload>, signal?: AbortSignal): Promise<void> {
  return refuseSecrets({ parameters: { org: 'acme' }, ...upload }, forms, signal);
}

const harmless = contentOf(Buffer.from('TN:\nend_of_record\n'));

describe('an upload', () => {
  it.each<[string, Partial<Upload>, string]>([
    ['a name in the address', { parameters: { trail_name: secret } }, 'the evidence'],
    ['the document', { document: { user_data: { note: `use ${secret} here` } } }, 'the evidence'],
    ['the name of the file', { file: { filename: `${secret}.txt`, ...harmless } }, 'the file'],
    [
      'the file, across its chunks',
      { file: { filename: 'a.txt', ...contentOf(Buffer.from(`password=${secret};`)) } },
      'the file a.txt',
    ],
    [
      'the file, which is named by its path',
      { file: { filename: 'a.txt', ...contentOf(Buffer.from(secret)), parts: [{ name: 'b/a.txt' }] } },
      'the file b/a.txt',
    ],
    [
      'another form in the file',
      { file: { filename: 'a.txt', ...contentOf(Buffer.from(forms.at(-1) ?? '')) } },
      'the file a.txt',
    ],
    [
      'a compressed file',
      { file: { filename: 'a.gz', ...contentOf(gzipSync('x'.repeat(100_000) + secret)) } },
      'the file a.gz',
    ],
    [
      'the second member of a compressed file',
      { file: { filename: 'a.gz', ...contentOf(Buffer.concat([gzipSync('x'), gzipSync(secret)])) } },
      'the file a.gz',
    ],
    [
      'a file in UTF-16, as Windows PowerShell writes it',
      { file: { filename: 'a.txt', ...contentOf(Buffer.from(`\uFEFFkey ${secret}`, 'utf16le')) } },
      'the file a.txt',
    ],
    [
      'a file in big-endian UTF-16 without a byte order mark, compressed',
      { file: { filename: 'a.gz', ...contentOf(gzipSync(Buffer.from(`<a>${secret}`, 'utf16le').swap16())) } },
      'the file a.gz',
    ],
    [
      'a compressed file in an archive',
      {
        file: {
          filename: 'evidence.tgz',
          ...harmless,
          parts: [
            { name: 'a.txt', ...harmless },
            { name: 'b/c.gz', ...contentOf(gzipSync(secret)) },
          ],
        },
      },
      'the file b/c.gz',
    ],
  ])('is refused if a secret is in %s', async (_where, upload, named) => {
    const failure = await failureOf(check(upload));
    expect(failure.message).toContain(named);
    expect(failure.message).toContain('contains a secret of this step');
    expect(failure.message).not.toContain('TN:');
  });

  it('is refused wherever the secret begins, whatever the size of the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100), fc.nat(100), fc.integer({ min: 1, max: 60 }), async (before, after, size) => {
        const bytes = Buffer.from('x'.repeat(before) + secret + 'y'.repeat(after));
        await expect(check({ file: { filename: 'a', ...contentOf(bytes, size) } })).rejects.toThrow('the file a');
        const cut = Buffer.concat([bytes.subarray(0, before + 7), Buffer.from('_'), bytes.subarray(before + 7)]);
        await check({ file: { filename: 'a', ...contentOf(cut, size) } });
      }),
      { numRuns: 200 },
    );
  });

  it('passes if one file ends like a secret and the next one begins like the rest of it', async () => {
    const parts = [secret.slice(0, 9), secret.slice(9)].map((text) => ({ name: 'a', ...contentOf(Buffer.from(text)) }));
    await check({ file: { filename: 'evidence.tgz', parts, ...harmless } });
  });

  it('passes if it only looks like a compressed file, or holds none', async () => {
    await check({ document: { a: 1 }, file: { filename: 'a.gz', ...contentOf(Buffer.from([0x1f, 0x8b, 1, 2, 3])) } });
    await check({});
  });

  it('is not searched any longer once the step is cancelled', async () => {
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(check({ file: { filename: 'a', ...harmless } }, cancelled)).rejects.toThrow('cancelled');
  });
});
