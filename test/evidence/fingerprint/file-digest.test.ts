import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { FileDigester } from '../../../src/evidence/fingerprint/file-digest.ts';
import { withFileTree } from '../../support/file-tree.ts';

const mebibyte = 1024 * 1024;

describe("a file's digest", () => {
  it.each([0, 1, 2048, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte, 3 * mebibyte, 5 * mebibyte + 17])(
    'is the SHA-256 of all %d bytes',
    async (size) => {
      const content = randomBytes(size);
      await withFileTree({ f: content }, async ({ at }) => {
        expect(await new FileDigester().digest(at('f'))).toBe(createHash('sha256').update(content).digest('hex'));
      });
    },
  );

  it('ends within a large file when the step is cancelled', async () => {
    await withFileTree({ large: Buffer.alloc(3 * mebibyte) }, async ({ at }) => {
      const cancelling = new AbortController();
      const cancelled = new Error('the step was cancelled');
      const digest = new FileDigester().digest(at('large'), cancelling.signal);
      cancelling.abort(cancelled);
      await expect(digest).rejects.toBe(cancelled);
    });
  });

  it('is returned at once for a small file, and asynchronously for a large one', async () => {
    await withFileTree({ large: Buffer.alloc(mebibyte), small: 'abc' }, async ({ at }) => {
      const digester = new FileDigester();
      expect(typeof digester.digest(at('small'))).toBe('string');
      const large = digester.digest(at('large'));
      expect(large).toBeInstanceOf(Promise);
      expect(await large).toHaveLength(64);
    });
  });
});
