import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const files = globSync('src/service/**/{*-records,platform/database/*,platform/database/postgres/*}.ts');

/** `*` as a column: after the keyword, the table, or another column. */
const allColumns = /(?:\bSELECT|\bRETURNING|\bDISTINCT|\bON \([^)]*\)|,)\s*\*|\b\w+\.\*/gu;

it.each(files)(
  'the statements in %s name every column, because PostgreSQL refuses to run a prepared one whose columns have changed',
  (name) => {
    const source = readFileSync(name, 'utf8').replace(/\/\*[\s\S]*?\*\//gu, '');
    expect(source.match(allColumns) ?? []).toEqual([]);
  },
);
