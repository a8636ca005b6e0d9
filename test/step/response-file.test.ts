import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { responseFile, writeResponse, type ResponsePlace } from '../../src/step/response-file.ts';
import { collectSecrets } from '../../src/step/secrets.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../support/temporary-workspace.ts';

let workspace: TemporaryWorkspace;
let place: ResponsePlace;
beforeEach(async () => {
  workspace = await temporaryWorkspace();
  place = { directory: workspace.path, secrets: collectSecrets(['hunter2hunter2']) };
});
afterEach(() => workspace.remove());

function paged<Item>(pages: readonly (readonly Item[])[]): AsyncIterable<readonly Item[]> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = pages[Symbol.iterator]();
      return { next: () => Promise.resolve(iterator.next()) };
    },
  };
}

describe('a list that is written page by page', () => {
  it('is one JSON array of all items, however it is cut into pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.jsonValue(), { maxLength: 4 }), { maxLength: 5 }), async (pages) => {
        const { path } = await responseFile(place).writeList(paged(pages));
        expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(pages.flat())));
      }),
      { numRuns: 50 },
    );
  });

  it('holds no secret', async () => {
    const { path } = await responseFile(place).writeList(paged([[{ key: 'hunter2hunter2' }]]));
    expect(readFileSync(path, 'utf8')).toBe('[{"key":"***"}]');
  });

  it('asks for a page only when the one before is written', async () => {
    const path = `${workspace.path}/response.json`;
    const sizes: number[] = [];
    const { path: written } = await responseFile(place).writeList({
      [Symbol.asyncIterator]() {
        let page = 0;
        return {
          next() {
            sizes.push(statSync(path).size);
            page += 1;
            return Promise.resolve(page > 3 ? { done: true as const, value: undefined } : { value: ['x'.repeat(100)] });
          },
        };
      },
    });
    expect(written).toBe(path);
    expect(sizes).toEqual([0, 103, 207, 311]);
  });

  it('fails as its pages do, and leaves the file to the error', async () => {
    const failing = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no page')) }),
    };
    await expect(responseFile(place).writeList(failing)).rejects.toThrow('no page');
    const { path } = writeResponse({ response: { error: 'no page' }, written: undefined }, place);
    expect(readFileSync(path, 'utf8')).toBe('{"error":"no page"}');
  });
});

describe('writeResponse', () => {
  it('hands a written list on whole where it fits the outputs', async () => {
    const written = await responseFile(place).writeList(paged([[1, 2], [3]]));
    expect(writeResponse({ response: undefined, written }, place)).toEqual({
      path: written.path,
      output: '[1,\n2,\n3]',
    });
  });

  it.each([
    ['x', 512 * 1024 - 4, true],
    ['x', 512 * 1024 - 3, false],
    ['€', 512 * 1024 - 4, true],
    ['€', 512 * 1024 - 3, false],
    ['x', 2 * 1024 * 1024, false],
  ])('leaves a list of %s × %d to the file where it is larger than GitHub takes', async (character, count, fits) => {
    const written = await responseFile(place).writeList(paged([[character.repeat(count)]]));
    const { output } = writeResponse({ response: undefined, written }, place);
    expect(output === '').toBe(!fits);
  });

  it('writes a value to a file that only its owner may read', () => {
    const { path, output } = writeResponse({ response: { a: 1 }, written: undefined }, place);
    expect(output).toBe('{"a":1}');
    expect(existsSync(path)).toBe(true);
    expect(process.platform === 'win32' || (statSync(path).mode & 0o077) === 0).toBe(true);
  });
});
