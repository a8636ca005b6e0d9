import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  SharedStatements,
  unnestValues,
  type SharedColumn,
} from '../../../../src/service/storage/postgres/shared-statements.ts';
import type { Row } from '../../../../src/service/storage/rows.ts';

const byName = { name: 'by name', text: 'SELECT 1' };
const byNumber = { name: 'by number', text: 'SELECT 2' };

describe('calls that share statements', () => {
  let sent: { readonly name: string; readonly columns: readonly SharedColumn[] }[];
  let answer: (columns: readonly SharedColumn[]) => Promise<readonly Row[]>;
  let statements: SharedStatements;

  beforeEach(() => {
    sent = [];
    // Each call finds its first value twice, and nothing if that is empty.
    answer = ([first = []]) =>
      Promise.resolve(
        first.flatMap((value, index) => {
          const row = { position: index + 1, value };
          return value === '' ? [] : [row, row];
        }),
      );
    statements = new SharedStatements(({ name }, columns) => {
      sent.push({ name, columns });
      return answer(columns);
    });
  });

  const find = async (value: string): Promise<readonly unknown[]> =>
    (await statements.run(byName, [value, 2])).map((row) => row['value']);

  it('begin at the same time, and get their own rows', async () => {
    const found = await Promise.all(['a', 'b', '', 'a'].map(find));
    expect(found).toEqual([['a', 'a'], ['b', 'b'], [], ['a', 'a']]);
    expect(sent).toEqual([
      {
        name: 'by name',
        columns: [
          ['a', 'b', '', 'a'],
          ['2', '2', '2', '2'],
        ],
      },
    ]);
  });

  it('begin after promises that were resolved at the same time', async () => {
    const begin = async (turns: number): Promise<readonly unknown[]> => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      return find('a');
    };
    await Promise.all([begin(1), begin(5), begin(20)]);
    expect(sent).toHaveLength(1);
  });

  it('do not wait for later ones, or for those of another statement', async () => {
    await find('a');
    await Promise.all([find('b'), statements.run(byNumber, [3])]);
    expect(sent.map(({ name }) => name)).toEqual(['by name', 'by name', 'by number']);
  });

  it('are sent at once if asked to', async () => {
    const found = find('a');
    expect(sent).toHaveLength(0);
    statements.send();
    expect(sent).toHaveLength(1);
    expect(await found).toEqual(['a', 'a']);
    expect(sent).toHaveLength(1);
  });

  it('use several statements if they are many', async () => {
    const values = Array.from({ length: 70 }, (_, index) => `value-${index}`);
    expect(await Promise.all(values.map(find))).toEqual(values.map((value) => [value, value]));
    expect(sent.map(({ columns: [first = []] }) => first.length)).toEqual([32, 32, 6]);
  });

  it('fail together', async () => {
    answer = () => Promise.reject(new Error('connection lost'));
    const settled = await Promise.allSettled([find('a'), find('b')]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    answer = () => Promise.resolve([{ name: 'a row without its position' }]);
    await expect(find('a')).rejects.toThrow('column position holds no number');
    answer = () => Promise.resolve([]);
    expect(await find('a')).toEqual([]);
  });

  it('send lists as arrays of PostgreSQL, and absent values as null', async () => {
    await statements.run(byName, [['plain', 'with "quotes" and \\', '', '{,}'], null]);
    expect(sent[0]?.columns).toEqual([[String.raw`{"plain","with \"quotes\" and \\","","{,}"}`], [null]]);
  });
});

it('a statement reads the values of its calls from a table', () => {
  expect(unnestValues('org', 'scopes')).toBe(
    'unnest($1::text[], $2::text[]) WITH ORDINALITY AS l (org, scopes, position)',
  );
});
