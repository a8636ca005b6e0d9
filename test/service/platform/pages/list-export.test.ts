import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCsvLine } from '../../../../src/service/platform/pages/list-export.ts';

/** The cells of a line, by the grammar of RFC 4180. */
function parseLine(line: string): readonly string[] {
  expect(line).toMatch(/^(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n$))+$/u);
  const cells = `,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",\r\n]*))/gu);
  return [...cells].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

/** The beginnings of cells in a spreadsheet that takes `;` or tabs for separators, as in many countries. */
function splitOtherwise(line: string): readonly string[] {
  return line.split(/[;\t\r\n]/u).map((cell) => cell.replaceAll(/[" ]/gu, ''));
}

describe('a line of CSV', () => {
  const formula = /^[=+\-@＝＋－＠]/u;
  const withoutMarks = (cell: string): string => cell.replaceAll(/(?<=^|[;\t\r\n])'+/gu, '');

  it('has all cells, none of which begins like a formula, whatever separates them', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '＝', '\t', '\r', '\n', '"', ',', ';', "'", ' ', 'a') }),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        const line = toCsvLine(cells);
        const parsed = parseLine(line);
        expect(parsed.map(withoutMarks)).toEqual(cells.map(withoutMarks));
        for (const cell of [...parsed, ...splitOtherwise(line)]) expect(cell.trimStart()).not.toMatch(formula);
        expect(parsed.filter((cell) => /^[\t\r\n]/u.test(cell))).toEqual([]);
      }),
    );
    expect(toCsvLine(['=1+1', -1, undefined, 'a,"b"'])).toBe('\'=1+1,-1,,"a,""b"""\r\n');
    expect(toCsvLine(['a; =1+1', '2 - 1; b = c'])).toBe("a;' =1+1,2 - 1; b = c\r\n");
  });
});
