import { number, type Row } from '../rows.ts';
import type { Statement } from './statements.ts';

/** A value that is sent in a shared statement. */
export type SharedValue = string | number | null | readonly string[];

/** The values of one parameter, of several calls. */
export type SharedColumn = readonly (string | null)[];

/**
 * A statement that several calls can share. Each parameter is a list with one value of each call. The column `position`
 * of the rows says which call they belong to; see `unnestValues`.
 */
export type SharedStatement = Statement;

/** Runs a statement with the values of several calls. */
export type RunShared = (statement: SharedStatement, columns: readonly SharedColumn[]) => Promise<readonly Row[]>;

/** How many calls share a statement at most, because its values and its whole result are in memory. */
const maximumCalls = 32;

interface Call {
  readonly values: readonly SharedValue[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends calls that begin at the same time in one statement, because most of what a small statement costs is overhead. */
export class SharedStatements {
  readonly #runShared: RunShared;
  readonly #waiting = new Map<SharedStatement, Call[]>();

  constructor(run: RunShared) {
    this.#runShared = run;
  }

  /** Returns the rows of one call. It is sent when everything that is ready to run has run, or by `send`. */
  run(statement: SharedStatement, values: readonly SharedValue[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#add(statement, { values, resolve, reject });
    });
  }

  #add(statement: SharedStatement, call: Call): void {
    const waiting = this.#waiting.get(statement);
    if (waiting === undefined) {
      if (this.#waiting.size === 0) this.#sendSoon();
      this.#waiting.set(statement, [call]);
    } else {
      waiting.push(call);
      if (waiting.length === maximumCalls) this.#send(statement, waiting);
    }
  }

  /** Sends after all promises that are resolved have run, and before the next event. */
  #sendSoon(): void {
    process.nextTick(() => {
      this.send();
    });
  }

  /** Sends the calls that wait, now. The statement that has waited longest is the first. */
  send(): void {
    for (const [statement, waiting] of this.#waiting) this.#send(statement, waiting);
  }

  #send(statement: SharedStatement, calls: readonly Call[]): void {
    this.#waiting.delete(statement);
    this.#runAll(statement, calls).then(
      (found) => {
        for (const [index, { resolve }] of calls.entries()) resolve(found.get(index + 1) ?? []);
      },
      (error: unknown) => {
        for (const { reject } of calls) reject(error);
      },
    );
  }

  /** Returns the rows by the position of their call, from 1. */
  async #runAll(statement: SharedStatement, calls: readonly Call[]): Promise<ReadonlyMap<number, readonly Row[]>> {
    const rows = await this.#runShared(statement, toColumns(calls.map(({ values }) => values)));
    return Map.groupBy(rows, (row) => number(row, 'position'));
  }
}

/** Returns the parameters of a statement for several calls, each with its values. */
export function toColumns(calls: readonly (readonly SharedValue[])[]): readonly SharedColumn[] {
  const [first = []] = calls;
  return first.map((_, index) => calls.map((values) => toText(values[index] ?? null)));
}

function toText(value: SharedValue): string | null {
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
 * The table `l` of the calls that share a statement: a column of texts for each of their values, and `position`. Cast
 * the values that are not texts.
 */
export function unnestValues(...columns: readonly string[]): string {
  const parameters = columns.map((_, index) => `$${index + 1}::text[]`);
  return `unnest(${parameters.join(', ')}) WITH ORDINALITY AS l (${columns.join(', ')}, position)`;
}
