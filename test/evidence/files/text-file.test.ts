import { statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readTextFile } from '../../../src/evidence/files/text-file.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { userErrorOf } from '../../support/user-error.ts';

const workspace = workspaceForEachTest();

async function read(
  content: string | Uint8Array,
  rules: { maximumBytes?: number; utf16?: boolean } = {},
): Promise<string> {
  const path = await workspace.write('a.txt', content);
  const file = { path, name: 'a.txt', size: statSync(path).size };
  return readTextFile(file, { purpose: 'the words', maximumBytes: 1024 * 1024, ...rules });
}

describe('readTextFile', () => {
  it('accepts UTF-16 only if the rules do', async () => {
    const content = Buffer.from('\ufeffwörds', 'utf16le');
    expect(await read(content, { utf16: true })).toBe('wörds');
    expect((await userErrorOf(() => read(content))).message).toBe('a.txt is not text in UTF-8');
  });

  it('accepts the maximum size, but no larger file', async () => {
    expect(await read('12345', { maximumBytes: 5 })).toBe('12345');
    const mistake = await userErrorOf(() => read('123456', { maximumBytes: 5 }));
    expect(mistake.message).toBe('a.txt is too large for the words: it has 6 bytes, and the limit is 5 bytes');
  });
});
