import { describe, expect, it } from '@jest/globals';
import { withoutTarget, withTarget } from '../../bench/row.ts';
import { formatTable } from '../../bench/table.ts';
import { milliseconds, times } from '../../bench/units.ts';

describe('the table', () => {
  it('has aligned columns, and shows the target next to the figure', () => {
    const step = { what: 'a step', figure: milliseconds(50), against: 'bare node 20 ms', ratio: times(2.5) };
    const rows = [
      withTarget(step, 2.5, { better: 'lower', mustReach: 2.5, aimFor: 2 }, times),
      withoutTarget({ what: 'tar | openssl', figure: milliseconds(8.25) }),
    ];
    expect(formatTable(rows).split('\n')).toEqual([
      '| what           | figure  | against         | ratio | must reach | aim for | reached |',
      '| -------------- | ------- | --------------- | ----- | ---------- | ------- | ------- |',
      '| a step         | 50.0 ms | bare node 20 ms | 2.50  | ≤ 2.50     | ≤ 2.00  | must    |',
      '| tar \\| openssl | 8.3 ms  |                 |       |            |         | -       |',
    ]);
  });
});
