import { describe, expect, it } from '@jest/globals';
import { codeWordsOf, tablesOf } from '../support/markdown.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/architecture.md');
const rules = readText('eslint.config.js');

/** The entries `name: ['a', 'b']` of an object in the linter's configuration. */
function entriesOf(object: string): readonly (readonly [string, readonly string[]])[] {
  const body = new RegExp(`const ${object} = \\{\\n(.*?)\\n\\};`, 'su').exec(rules)?.[1] ?? '';
  return [...body.matchAll(/^ {2}'?([\w@/:-]+)'?: \[(.*)\]/gmu)].map(([, name = '', list = '']) => [
    name,
    [...list.matchAll(/'([^']+)'/gu)].flatMap(([, item]) => item ?? []),
  ]);
}

/** The linter's name of a room as the page writes it: `service-domain` is `service/domain`. */
function written(room: string): string {
  return room.replace('-', '/');
}

function folderOf(room: string): string {
  return room === 'main' ? 'src/main.ts' : `src/${written(room)}`;
}

function rowsOf(firstColumn: string): readonly (readonly string[])[] {
  return tablesOf(page).find(({ columns }) => columns[0] === firstColumn)?.rows ?? [];
}

describe('the page about the architecture', () => {
  it("has the rooms and arrows of the linter's rules", () => {
    const documented = rowsOf('Room').map((row) => [
      codeWordsOf(row[0] ?? '')[0],
      [...codeWordsOf(row[2] ?? '')].sort(),
    ]);
    const declared = entriesOf('arrows').map(([room, open]) => [folderOf(room), open.map(written).sort()]);
    expect(declared).not.toEqual([]);
    expect(documented.sort()).toEqual(declared.sort());
  });

  it("has the edges of the linter's rules", () => {
    const documented = rowsOf('Package').map((row) => [
      codeWordsOf(row[0] ?? '')[0],
      [...codeWordsOf(row[1] ?? '')].sort(),
    ]);
    const declared = entriesOf('edges').map(([name, rooms]) => [name, rooms.map(folderOf).sort()]);
    expect(declared).not.toEqual([]);
    expect(documented.sort()).toEqual(declared.sort());
  });
});
