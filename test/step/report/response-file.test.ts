import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pager } from '../../../src/operations/operation.ts';
import { responseFile, type ResponseLocation, writeResponse } from '../../../src/step/report/response-file.ts';
import { collectSecrets } from '../../../src/step/report/secrets.ts';
import { itWithFullDevice } from '../../support/platform.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();
let place: ResponseLocation;
beforeEach(() => {
  place = { directory: workspace.path, secrets: collectSecrets(['hunter2hunter2']) };
});

function paged<Item>(pages: readonly (readonly Item[])[]): Pager<Item> {
  const iterator = pages[Symbol.iterator]();
  return () => {
    const { done, value } = iterator.next();
    return Promise.resolve(done === true ? undefined : value);
  };
}

describe('a list that is written page by page', () => {
  it('is one JSON array of all items, however they are split into pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.jsonValue(), { maxLength: 4 }), { maxLength: 5 }), async (pages) => {
        const { path } = await responseFile(place).writeList(paged(pages));
        expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(pages.flat())));
      }),
      { numRuns: 50 },
    );
  });

  it('contains no secrets', async () => {
    const { path } = await responseFile(place).writeList(paged([[{ key: 'hunter2hunter2' }]]));
    expect(readFileSync(path, 'utf8')).toBe('[{"key":"***"}]');
  });

  it('redacts only within an item, and never across two items', async () => {
    const secrets = collectSecrets(['hunter2hunter2', 'a"},{"key":"b']);
    const items = [{ key: 'a' }, { key: 'b' }, { key: 'hunter2hunter2' }];
    const { path } = await responseFile({ ...place, secrets }).writeList(paged([items]));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual([{ key: 'a' }, { key: 'b' }, { key: '***' }]);
  });

  it('fetches a page only after the previous one is written', async () => {
    const path = `${workspace.path}/response.json`;
    const sizes: number[] = [];
    const { path: written } = await responseFile(place).writeList(() => {
      sizes.push(statSync(path).size);
      return Promise.resolve(sizes.length > 3 ? undefined : ['x'.repeat(100)]);
    });
    expect(written).toBe(path);
    expect(sizes).toEqual([1, 103, 207, 311]);
  });

  itWithFullDevice(
    'reads all pages even if the disk is full, because the verdict needs them, and returns the error',
    async () => {
      symlinkSync('/dev/full', `${workspace.path}/response.json`);
      const pages = paged([[1], [2], [3]]);
      let asked = 0;
      const written = await responseFile(place).writeList(() => {
        asked += 1;
        return pages();
      });
      expect(asked).toBe(4);
      expect(written).toMatchObject({ path: '', failure: { kind: 'runner', isFull: true } });
      expect(writeResponse({ response: undefined, written }, place)).toEqual({ ...written, output: '' });
    },
  );

  it('reads all pages even if its folder is missing', async () => {
    const nowhere = { ...place, directory: `${workspace.path}/missing` };
    const written = await responseFile(nowhere).writeList(paged([[1], [2]]));
    expect(written).toMatchObject({ path: '', failure: { kind: 'runner', isFull: false } });
  });

  it('fails if a page fails, and leaves the file to the error', async () => {
    const failing = (): Promise<undefined> => Promise.reject(new Error('no page'));
    await expect(responseFile(place).writeList(failing)).rejects.toThrow('no page');
    const { path } = writeResponse({ response: { error: 'no page' }, written: undefined }, place);
    expect(readFileSync(path, 'utf8')).toBe('{"error":"no page"}');
  });
});

describe('writeResponse', () => {
  it('returns a written list for the output if it fits', async () => {
    const written = await responseFile(place).writeList(paged([[1, 2], [3]]));
    expect(writeResponse({ response: undefined, written }, place)).toEqual({
      path: written.path,
      output: '[1,2,\n3]',
    });
  });

  it.each([
    ['x', 512 * 1024 - 4, true],
    ['x', 512 * 1024 - 3, false],
    ['€', 512 * 1024 - 4, true],
    ['€', 512 * 1024 - 3, false],
    ['x', 2 * 1024 * 1024, false],
  ])('leaves a list of %s × %d out of the output if it exceeds GitHub’s limit', async (character, count, fits) => {
    const written = await responseFile(place).writeList(paged([[character.repeat(count)]]));
    const { output } = writeResponse({ response: undefined, written }, place);
    expect(output === '').toBe(!fits);
  });

  it('writes a file that only its owner may read', () => {
    const { path, output } = writeResponse({ response: { a: 1 }, written: undefined }, place);
    expect(output).toBe('{"a":1}');
    expect(existsSync(path)).toBe(true);
    expect(process.platform === 'win32' || (statSync(path).mode & 0o077) === 0).toBe(true);
  });
});
