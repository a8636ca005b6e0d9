import { describe, expect, it } from '@jest/globals';
import { readUserData } from '../../src/evidence/user-data.ts';
import { failureOf } from '../support/failures.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

describe("the user's own data", () => {
  it('is read from a file as Windows PowerShell writes it', async () => {
    await workspace.write('data.json', Buffer.from('\uFEFF{"from": "file"}', 'utf16le'));
    expect(await readUserData('data.json', workspace.path)).toEqual({ from: 'file' });
  });

  it('is refused in a file of another encoding, because characters would be lost', async () => {
    await workspace.write('data.json', Buffer.from('{"by": "Jos\u00e9"}', 'latin1'));
    const failure = await failureOf(readUserData('data.json', workspace.path));
    expect(failure.message).toBe('data.json is not text in UTF-8');
  });

  it('is refused in a file that is too large, with what to do about much data', async () => {
    await workspace.write('data.json', JSON.stringify({ log: 'x'.repeat(1024 * 1024) }));
    const failure = await failureOf(readUserData('data.json', workspace.path));
    expect(failure.message).toContain('data.json is too large');
    expect(failure.remedy).toBe('Record less, or attach the data with `files`.');
  });

  it.each([
    ['[1]', 'is JSON, but not an object'],
    ['"text"', 'is JSON, but not an object'],
    ['[1.0]', 'is JSON, but not an object'],
    [String.raw`{"a":{"ticket":1,"tic\u006bet":2}}`, 'contains the key "ticket" twice in one object'],
    ['{"open": ', 'is not JSON'],
    [`{"deep": ${'['.repeat(101)}`, 'nests values more than 100 deep'],
    ['no-such-file.json', 'does not exist'],
    ['.', 'is not a file'],
  ])('is refused as %s, by its name', async (value, words) => {
    const failure = await failureOf(readUserData(value, '.'));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain('`user-data`');
    expect(failure.message).toContain(words);
  });
});
