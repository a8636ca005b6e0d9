import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Client } from 'pg';
import { Connections } from '../../../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../src/service/storage/postgres/database-url.ts';
import { SharedStatements, unnestValues } from '../../../../src/service/storage/postgres/shared-statements.ts';
import { runStatement } from '../../../../src/service/storage/postgres/statements.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.ts';

/** Returns the values of each lookup as the database read them. */
const echo = {
  name: 'test.echo',
  text: `SELECT l.position, l.org, l.count::integer AS count, l.items::text[] AS items
    FROM ${unnestValues('org', 'count', 'items')}`,
};

// PostgreSQL stores no NUL and no unpaired surrogate.
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
const lookup = fc.tuple(fc.option(text), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.array(text));

describe('lookups in PostgreSQL', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = await new Connections(parseDatabaseUrl(database.url)).open();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('read their values as they are, whatever characters they have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lookup, { minLength: 1, maxLength: 40 }), async (wanted) => {
        const lookups = new SharedStatements(async (statement, columns) => {
          return (await runStatement(client, statement, columns)).rows;
        });
        const found = await Promise.all(wanted.map((values) => lookups.run(echo, values)));
        expect(found.map((rows) => rows.map(({ org, count, items }) => [org, count, items]))).toEqual(
          wanted.map((values) => [values]),
        );
      }),
    );
  });
});
