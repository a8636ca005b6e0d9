import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { RecordedStatement } from '../../../bench/postgres/statement-recorder.ts';
import { toScript, type Variation } from '../../../bench/postgres/to-script.ts';
import { sharedPostgres } from '../../support/postgres.ts';

const unchanged: Variation = { prepare: [], variables: {}, replaced: {}, computed: {}, read: {}, lockOffset: ':org' };

describe('a script for pgbench', () => {
  let client: Client;
  beforeEach(async () => {
    client = new Client({ connectionString: sharedPostgres() });
    await client.connect();
    await client.query('CREATE TEMPORARY TABLE flows (org text, number bigint, note text)');
  });
  afterEach(() => client.end());

  const insert: RecordedStatement = {
    text: `INSERT INTO flows
      VALUES ($1, $2, $3)`,
    values: ['acme', '17', null],
  };

  it('sends the recorded statements, with their values and the types that the database infers', async () => {
    const statements = [{ text: 'BEGIN', values: [] }, insert, { text: 'COMMIT', values: [] }];
    expect(await toScript(client, statements, unchanged)).toEqual({
      text: 'BEGIN;\nINSERT INTO flows VALUES (:v1_0::text, :v1_1::bigint, NULL::text);\nCOMMIT;\n',
      variables: { v1_0: 'acme', v1_1: '17' },
    });
  });

  it('writes an empty value into the statement, because a variable cannot be empty', async () => {
    const { text, variables } = await toScript(client, [{ ...insert, values: ['acme', '17', ''] }], unchanged);
    expect(text).toBe("INSERT INTO flows VALUES (:v0_0::text, :v0_1::bigint, ''::text);\n");
    expect(Object.keys(variables)).toEqual(['v0_0', 'v0_1']);
  });

  it('uses a value twice if the statement does', async () => {
    const twice = { text: 'SELECT 1 FROM flows WHERE number = $1 OR number = $1 + $2::integer', values: ['17', '1'] };
    const { text } = await toScript(client, [twice], unchanged);
    expect(text).toBe(
      'SELECT 1 FROM flows WHERE number = :v0_0::bigint OR number = :v0_0::bigint + :v0_1::integer::integer;\n',
    );
  });

  it('replaces parts of values, and whole values', async () => {
    const { text, variables } = await toScript(client, [insert], {
      ...unchanged,
      prepare: [String.raw`\set n random(1, 16)`],
      variables: { scale: '16' },
      replaced: { acme: "'org-' || :n" },
      computed: { '17': ':n + 1' },
    });
    expect(text).toBe(
      String.raw`\set n random(1, 16)` +
        "\nINSERT INTO flows VALUES (replace(:v0_0::text, 'acme', 'org-' || :n)::text, (:n + 1)::bigint, NULL::text);\n",
    );
    expect(variables).toEqual({ scale: '16', v0_0: 'acme' });
  });

  it('replaces the only item of a list', async () => {
    const list = {
      text: 'SELECT 1 FROM unnest($1::text[], $2::text[]) AS l (number, name)',
      values: ['{"17"}', '{"acme"}'],
    };
    const { text } = await toScript(client, [list], {
      ...unchanged,
      computed: { '17': ':n + 1' },
      replaced: { acme: "'org-' || :n" },
    });
    expect(text).toBe(
      'SELECT 1 FROM unnest(ARRAY[(:n + 1)::text]::text[]::text[], ' +
        "replace(:v0_1::text, 'acme', 'org-' || :n)::text[]::text[]) AS l (number, name);\n",
    );
  });

  it('reads the results of statements with a word', async () => {
    const { text } = await toScript(client, [{ text: 'SELECT max(number) AS last FROM flows', values: [] }], {
      ...unchanged,
      read: { 'max(number)': [String.raw`\gset`, String.raw`\set next :last + 1`] },
    });
    expect(text).toBe('SELECT max(number) AS last FROM flows \\gset\n\\set next :last + 1\n');
  });

  it('takes other locks, and sends statements of one message one after the other', async () => {
    const locking = { text: 'SELECT pg_advisory_xact_lock(-42); SELECT 1;', values: [] };
    const { text } = await toScript(client, [locking], unchanged);
    expect(text).toBe('SELECT pg_advisory_xact_lock(-42 + :org);\nSELECT 1;\n');
  });
});
