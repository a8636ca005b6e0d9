import { parseExactJson } from '../../../runtime/exact-json.ts';
import type { CountsFor } from '../../account/audience.ts';
import type { Recorder } from '../../requirement/recorder.ts';

export type Row = Readonly<Record<string, unknown>>;

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`);
  return value;
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} holds no number`);
  return value;
}

export function blob(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${column} holds no bytes`);
  return value;
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}

/** Whether a column holds 1 and not 0. */
export function flag(row: Row, column: string): boolean {
  return number(row, column) === 1;
}

/** True or false; null if the column holds no value. */
export function flagOrNull(row: Row, column: string): boolean | null {
  return row[column] === null ? null : flag(row, column);
}

/** Whether a column holds a number and not null. */
export function isSet(row: Row, column: string): boolean {
  return optionalNumber(row, column) !== undefined;
}

export function optional<From, To>(value: From | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined ? undefined : convert(value);
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/** Returns a function that reads one of these texts. */
export function oneOf<Known extends string>(known: readonly Known[]): (row: Row, column: string) => Known {
  return (row, column) => {
    const found = known.find((value) => value === row[column]);
    if (found === undefined) throw new TypeError(`the stored ${column} is damaged`);
    return found;
  };
}

/** A field that is stored as JSON, which this service has written. */
export const json = 'json' as const;
/** The same; undefined is stored as null. */
export const optionalJson = 'optional json' as const;
/** JSON that was checked before it was stored. Numbers in free-form data are kept as they were sent. */
export const document = 'document' as const;

type Read<Value> = ((row: Row, column: string) => Value) | typeof json | typeof optionalJson | typeof document;

interface Named<Value> {
  readonly column: string;
  readonly read: Read<Value>;
}

/** A field whose column has another name. */
export function column<Value>(name: string, read: Read<Value>): Named<Value> {
  return { column: name, read };
}

type Fields<Result> = { readonly [Field in keyof Result]-?: Read<Result[Field]> | Named<Result[Field]> };

/**
 * Returns a function that reads a record. The column of the field `createdAt` is `created_at`, unless `column` names
 * another; `prefix` is the beginning of the names of all columns.
 */
export function toRecord<Result extends object>(fields: Fields<Result>, prefix = ''): (row: Row) => Result {
  const readers = Object.entries<Read<unknown> | Named<unknown>>(fields).map(([field, declared]) => {
    const name = field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    const { column, read } = typeof declared === 'object' ? declared : { column: name, read: declared };
    return (row: Row) => [field, readColumn(row, prefix + column, read)] as const;
  });
  return (row) => Object.fromEntries(readers.map((read) => read(row))) as Result;
}

function readColumn(row: Row, column: string, read: Read<unknown>): unknown {
  if (typeof read === 'function') return read(row, column);
  if (read === optionalJson && row[column] === null) return undefined;
  return read === document ? parseExactJson(text(row, column)) : JSON.parse(text(row, column));
}

/** The column of a record with the environments that it counts for. */
export function countsForColumn({ countsFor }: { readonly countsFor?: CountsFor }): string | null {
  return countsFor === undefined ? null : JSON.stringify(countsFor);
}

export function recordersColumn({
  recorders = [],
}: {
  readonly recorders?: readonly Recorder[] | undefined;
}): string | null {
  return recorders.length === 0 ? null : JSON.stringify(recorders);
}
