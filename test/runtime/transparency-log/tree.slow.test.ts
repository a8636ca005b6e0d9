import { expect, it } from '@jest/globals';
import { cacheTiles, findInclusionProof, findRoots } from '../../../src/runtime/transparency-log/tree.ts';
import { DefinedTree, followProof, hex, store } from '../../support/defined-tree.ts';

const largest = 600;
const tree = new DefinedTree(largest);
const read = store(tree.leaves);
const roots = Array.from({ length: largest + 1 }, (_, size) => hex(tree.root(0, size)));

it('proves each entry of a log of every size to 600', async () => {
  const wrong: string[] = [];
  for (let size = 1; size <= largest; size += 1) {
    const cached = cacheTiles(read, size);
    for (let index = 0; index < size; index += 1) {
      const path = await findInclusionProof(cached, index, size);
      if (hex(followProof(tree.root(index, index + 1), index, size, path)) !== roots[size])
        wrong.push(`${index}/${size}`);
    }
  }
  expect(wrong).toEqual([]);
}, 300_000);

it('has the roots of its definition for every pair of sizes to 600', async () => {
  const wrong: string[] = [];
  for (let later = 0; later <= largest; later += 1) {
    const cached = cacheTiles(read, later);
    for (let earlier = 0; earlier <= later; earlier += 1) {
      const found = await findRoots(cached, earlier, later);
      if (hex(found.earlier) !== roots[earlier] || hex(found.later) !== roots[later]) wrong.push(`${earlier}/${later}`);
    }
  }
  expect(wrong).toEqual([]);
}, 300_000);
