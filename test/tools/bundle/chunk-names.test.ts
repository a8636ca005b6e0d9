import { describe, expect, it } from '@jest/globals';
import { nameChunks } from '../../../tools/bundle/chunk-names.ts';

const loader = 'f = (chunkId) => { return "" + chunkId + ".index.js"; };';

describe('nameChunks', () => {
  it('names a chunk after the module that it is loaded for, and updates the references', () => {
    const scripts = new Map([
      ['index.js', loader],
      ['12.index.js', 'twelve'],
    ]);
    const named = nameChunks(scripts, [{ id: 12, files: ['12.index.js'], origins: [{ request: './proxy-agent.ts' }] }]);
    expect([...named]).toEqual([
      ['index.js', 'f = (chunkId) => { return {"12":"proxy-agent"}[chunkId] + ".index.js"; };'],
      ['proxy-agent.index.js', 'twelve'],
    ]);
  });

  it('gives every chunk a different name', () => {
    const files = ['1', '2', '3', '4'].map((id) => `${id}.index.js`);
    const requests = [['./a.js'], ['a'], [], ['./a.js', './b.js']];
    const named = nameChunks(
      new Map(files.map((file) => [file, ''])),
      files.map((file, at) => ({
        id: at + 1,
        files: [file],
        origins: (requests[at] ?? []).map((request) => ({ request })),
      })),
    );
    expect([...named.keys()]).toEqual(['a.index.js', 'a-2.index.js', 'shared.index.js', 'shared-2.index.js']);
  });

  it('does not rename the first file', () => {
    expect([...nameChunks(new Map([['index.js', 'code']]), [{ id: 7, files: ['index.js'] }])]).toEqual([
      ['index.js', 'code'],
    ]);
  });
});
