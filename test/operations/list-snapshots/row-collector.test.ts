import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { plain } from '../../../src/operations/report.ts';
import { RowCollector } from '../../../src/operations/list-snapshots/row-collector.ts';

describe('RowCollector', () => {
  it('keeps the first rows, counts the rest and does not build their rows', () => {
    fc.assert(
      fc.property(fc.nat({ max: 30 }), fc.nat({ max: 10 }), (added, most) => {
        let made = 0;
        const collector = new RowCollector(most, (index: number) => {
          made += 1;
          return [plain(String(index))];
        });
        for (let index = 0; index < added; index += 1) collector.add(index);
        const [table] = collector.table('Rows', ['Number']);
        expect(collector.count).toBe(added);
        expect(made).toBe(Math.min(added, most));
        expect(table === undefined).toBe(added === 0);
        if (table === undefined) return;
        expect(table.title).toBe(`Rows (${added})`);
        expect(table.rows.map((row) => row[0]?.text)).toEqual(Array.from({ length: made }, (_, at) => String(at)));
        expect(table.rows.length + (table.more ?? 0)).toBe(added);
      }),
    );
  });
});
