import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCsvLine } from '../../../../src/service/platform/pages/list-export.ts';

/** The cells of a line, by the grammar of RFC 4180. */
function parseLine(line: string): readonly string[] {
  expect(line).toMatch(/^(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n$))+$/u);
  const cells = `,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",\r\n]*))/gu);
  return [...cells].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

describe('a line of CSV', () => {
  it('has all cells, none of which begins like a formula', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', "'", 'a') }),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        const parsed = parseLine(toCsvLine(cells));
        expect(parsed.map((cell) => cell.replace(/^'(?=[=+\-@\t\r])/u, ''))).toEqual(
          cells.map((cell) => cell.replace(/^'(?=[=+\-@\t\r])/u, '')),
        );
        expect(parsed.filter((cell) => /^[=+\-@\t\r]/u.test(cell))).toEqual([]);
      }),
    );
    expect(toCsvLine(['=1+1', -1, undefined, 'a,"b"'])).toBe('\'=1+1,-1,,"a,""b"""\r\n');
  });
});
