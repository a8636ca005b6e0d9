import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import {
  allStatements,
  defineStatements,
  either,
  isAnyOf,
  toJsonList,
} from '../../../../src/service/platform/database/database.ts';
import { Session } from '../../../../src/service/platform/database/sqlite/session.ts';

const statements = defineStatements('test', {
  page: 'SELECT a FROM t WHERE b = $2 AND c = $1 ORDER BY a LIMIT $3 OFFSET $4',
  cast: 'SELECT $1::text, $2::double precision, $3::text[], $4::bigint',
  position: `SELECT ${either('instr', 'strpos')}(a, $1) FROM t`,
  nested: `SELECT ${either(`a.${either('rowid', 'place')}`, `b.${either('rowid', 'place')}`)}`,
  list: `SELECT ${toJsonList('a')} AS list FROM t WHERE ${isAnyOf('a', '$1')}`,
  insert: 'INSERT INTO t (a, b) VALUES ($1, $2)',
});

describe('a statement for both databases', () => {
  it('has numbered parameters in SQLite, and limits that do not make it compile again', () => {
    expect(statements.page).toEqual({
      name: 'test.page',
      sqlite: 'SELECT a FROM t WHERE b = ?2 AND c = ?1 ORDER BY a LIMIT ?3 + 0 OFFSET ?4 + 0',
      postgres: 'SELECT a FROM t WHERE b = $2 AND c = $1 ORDER BY a LIMIT $3 OFFSET $4',
    });
  });

  it('has casts in PostgreSQL only', () => {
    expect(statements.cast.sqlite).toBe('SELECT ?1, ?2, ?3, ?4');
    expect(statements.cast.postgres).toBe('SELECT $1::text, $2::double precision, $3::text[], $4::bigint');
  });

  it('has the words of each database where they differ', () => {
    expect(statements.position).toMatchObject({
      sqlite: 'SELECT instr(a, ?1) FROM t',
      postgres: 'SELECT strpos(a, $1) FROM t',
    });
    expect(statements.nested).toMatchObject({ sqlite: 'SELECT a.rowid', postgres: 'SELECT b.place' });
  });

  it('is found by its name', () => {
    expect(allStatements.get('test.list')).toBe(statements.list);
  });

  it('takes lists, booleans and bytes in SQLite', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE t (a, b)');
    const session = new Session(database);
    const found = await session.use(async () => {
      expect(await session.execute(statements.insert, ['x', true])).toEqual({ rows: [], changes: 1 });
      await session.execute(statements.insert, ['"y" ', new Uint8Array([1])]);
      await session.execute(statements.insert, ['z', null]);
      return (await session.execute(statements.list, [['"y" ', 'x', 'other']])).rows;
    });
    expect(found).toEqual([{ list: '["\\"y\\" ","x"]' }]);
    expect(database.prepare('SELECT b FROM t ORDER BY rowid').all()).toEqual([
      { b: 1 },
      { b: new Uint8Array([1]) },
      { b: null },
    ]);
    database.close();
  });
});
