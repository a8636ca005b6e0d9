import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'src/service/storage/postgres';

/** `*` as a column: after the keyword, the table, or another column. */
const allColumns = /(?:\bSELECT|\bRETURNING|\bDISTINCT|\bON \([^)]*\)|,)\s*\*|\b\w+\.\*/gu;

it.each(readdirSync(folder).filter((name) => name.endsWith('.ts')))(
  'the statements in %s name every column, because PostgreSQL refuses to run a prepared one whose columns have changed',
  (name) => {
    const source = readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\//gu, '');
    expect(source.match(allColumns) ?? []).toEqual([]);
  },
);
