import { expect, it } from '@jest/globals';
import { bundleEntries, renderProof } from '../../../src/service/log/tile.ts';

it('bundles entries, each after its length', () => {
  const bundle = bundleEntries([Buffer.from('ab'), Buffer.alloc(258, 'c')]);
  expect(Buffer.from(bundle).toString('latin1')).toBe(`\u0000\u0002ab\u0001\u0002${'c'.repeat(258)}`);
});

it('renders a proof', () => {
  expect(renderProof(3, [Buffer.alloc(32)], 'checkpoint\n')).toBe(
    `c2sp.org/tlog-proof@v1\nindex 3\n${'A'.repeat(43)}=\n\ncheckpoint\n`,
  );
});
