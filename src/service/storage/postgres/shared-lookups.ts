import { number, type Row } from '../rows.ts';
import type { Statement } from './statements.ts';

/** A value that is looked up. */
export type LookupValue = string | number | null | readonly string[];

/** The values of one parameter, of several lookups. */
export type LookupColumn = readonly (string | null)[];

/**
 * A statement that several lookups can share. Each parameter is a list with one value of each lookup. The column
 * `position` of the rows says which lookup they belong to; see `unnestLookups`.
 */
export type SharedStatement = Statement;

/** Runs a statement with the values of several lookups. */
export type RunLookups = (statement: SharedStatement, columns: readonly LookupColumn[]) => Promise<readonly Row[]>;

/** How many lookups share a statement at most, because its whole result is in memory. */
const maximumLookups = 32;

interface Lookup {
  readonly values: readonly LookupValue[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends lookups that begin at the same time in one statement, because most of what a small statement costs is overhead. */
export class SharedLookups {
  readonly #run: RunLookups;
  readonly #waiting = new Map<SharedStatement, Lookup[]>();

  constructor(run: RunLookups) {
    this.#run = run;
  }

  /** Returns the rows of one lookup. It is sent when everything that is ready to run has run, or by `send`. */
  find(statement: SharedStatement, values: readonly LookupValue[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#add(statement, { values, resolve, reject });
    });
  }

  #add(statement: SharedStatement, lookup: Lookup): void {
    const waiting = this.#waiting.get(statement);
    if (waiting === undefined) {
      if (this.#waiting.size === 0) this.#sendSoon();
      this.#waiting.set(statement, [lookup]);
    } else {
      waiting.push(lookup);
      if (waiting.length === maximumLookups) this.#send(statement, waiting);
    }
  }

  /** Sends after all promises that are resolved have run, and before the next event. */
  #sendSoon(): void {
    process.nextTick(() => {
      this.send();
    });
  }

  /** Sends the lookups that wait, now. */
  send(): void {
    for (const [statement, waiting] of this.#waiting) this.#send(statement, waiting);
  }

  #send(statement: SharedStatement, lookups: readonly Lookup[]): void {
    this.#waiting.delete(statement);
    this.#findAll(statement, lookups).then(
      (found) => {
        for (const [index, { resolve }] of lookups.entries()) resolve(found.get(index + 1) ?? []);
      },
      (error: unknown) => {
        for (const { reject } of lookups) reject(error);
      },
    );
  }

  /** Returns the rows by the position of their lookup, from 1. */
  async #findAll(statement: SharedStatement, lookups: readonly Lookup[]): Promise<ReadonlyMap<number, readonly Row[]>> {
    const rows = await this.#run(statement, toColumns(lookups));
    return Map.groupBy(rows, (row) => number(row, 'position'));
  }
}

function toColumns(lookups: readonly Lookup[]): readonly LookupColumn[] {
  const [first] = lookups;
  return (first?.values ?? []).map((_, index) => lookups.map(({ values }) => toText(values[index] ?? null)));
}

function toText(value: LookupValue): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : toArrayText(value);
}

/**
 * A list as PostgreSQL reads it from text (its documentation, "Array Value Input"). Several lists cannot be one array,
 * because arrays in an array must have the same length.
 */
function toArrayText(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(',')}}`;
}

/**
 * The table `l` of the lookups that share a statement: a column of texts for each of their values, and `position`. Cast
 * the values that are not texts.
 */
export function unnestLookups(...columns: readonly string[]): string {
  const parameters = columns.map((_, index) => `$${index + 1}::text[]`);
  return `unnest(${parameters.join(', ')}) WITH ORDINALITY AS l (${columns.join(', ')}, position)`;
}
