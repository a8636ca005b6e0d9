import { createHash } from 'node:crypto';
import { type ColumnKind, quote, type Table } from './tables.ts';

/*
 * A table has the same digest in both databases if all values of all rows are the same. Each side computes the SHA-256
 * of each row itself, so that rows are not transferred again. The digest of the table is the SHA-256 of these, in the
 * order of the primary key. In a row, null is the byte 0; any other value is the byte 1, its length in bytes (32 bits)
 * and its bytes: texts in UTF-8, and numbers big-endian with 64 bits (IEEE 754 for real numbers).
 */

export type CopiedValue = string | number | Uint8Array | null;

/** The number of rows of a table, and the digest of all of them. */
export interface TableContent {
  readonly rows: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/** Computes the content of a table row by row, in the order of the primary key. */
export class TableDigest {
  readonly #hash = createHash('sha256');
  #rows = 0;

  add(digest: Uint8Array): void {
    this.#hash.update(digest);
    this.#rows += 1;
  }

  end(): TableContent {
    return { rows: this.#rows, digest: this.#hash.digest('hex') };
  }
}

const absent = Buffer.of(0);

export function digestRow({ columns }: Table, values: readonly CopiedValue[]): Uint8Array {
  const hash = createHash('sha256');
  for (const [index, { kind }] of columns.entries()) {
    const value = values[index] ?? null;
    if (value === null) {
      hash.update(absent);
      continue;
    }
    const bytes = toBytes(kind, value);
    const head = Buffer.allocUnsafe(5);
    head.writeUInt8(1);
    head.writeUInt32BE(bytes.length, 1);
    hash.update(head).update(bytes);
  }
  return hash.digest();
}

function toBytes(kind: ColumnKind, value: string | number | Uint8Array): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value);
  if (typeof value !== 'number') return value;
  const bytes = Buffer.allocUnsafe(8);
  if (kind === 'integer') bytes.writeBigInt64BE(BigInt(value));
  else bytes.writeDoubleBE(value);
  return bytes;
}

const toBytesInSql: Readonly<Record<ColumnKind, (column: string) => string>> = {
  text: (column) => `convert_to(${column}, 'UTF8')`,
  integer: (column) => `int8send(${column}::bigint)`,
  real: (column) => `float8send(${column})`,
  blob: (column) => column,
};

/** The expression for the SHA-256 of a row in PostgreSQL. */
export function rowDigestSql({ columns }: Table): string {
  const values = columns.map(({ name, kind }) => {
    const bytes = toBytesInSql[kind](quote(name));
    return `coalesce('\\x01'::bytea || int4send(octet_length(${bytes})) || ${bytes}, '\\x00')`;
  });
  return `sha256(${values.join(' || ')})`;
}
