import { parseExactJson } from '../../../runtime/exact-json.ts';
import type { Tags } from '../../../contract/tags.ts';
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
  return typeof row[column] === 'number' ? row[column] : undefined;
}

export function optional<From, To>(value: From | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined ? undefined : convert(value);
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/**
 * Parses a document that this service validated before storing it. Numbers in free-form data are kept as they were
 * sent.
 */
export function document(row: Row, column: string): unknown {
  return parseExactJson(text(row, column));
}

export function toTags(row: Row): Tags {
  // Written by this service.
  return JSON.parse(text(row, 'tags')) as Tags;
}

/** Reads the environments that a record counts for. Null stands for all; else the column has their names as JSON. */
export function toCountsFor(row: Row): { readonly countsFor?: CountsFor } {
  const names = optionalText(row, 'counts_for');
  return names === undefined ? {} : { countsFor: JSON.parse(names) as readonly string[] };
}

/** The column of a record with the environments that it counts for. */
export function countsForColumn({ countsFor }: { readonly countsFor?: CountsFor }): string | null {
  return countsFor === undefined ? null : JSON.stringify(countsFor);
}

export function toRecorders(row: Row): { readonly recorders?: readonly Recorder[] } {
  const recorders = optionalText(row, 'recorders');
  // Written by this service.
  return recorders === undefined ? {} : { recorders: JSON.parse(recorders) as readonly Recorder[] };
}

export function recordersColumn({
  recorders = [],
}: {
  readonly recorders?: readonly Recorder[] | undefined;
}): string | null {
  return recorders.length === 0 ? null : JSON.stringify(recorders);
}
