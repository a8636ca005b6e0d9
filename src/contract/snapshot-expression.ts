/**
 * Expressions that select snapshots (interface, operations 11 and 12), parsed here for both sides: the action checks
 * them before it sends them, and the service looks the snapshots up.
 */

/** Selects a snapshot of an environment. */
export type SnapshotSelector =
  /** The latest. */
  | { readonly kind: 'latest' }
  /** Exactly this one. */
  | { readonly kind: 'number'; readonly number: number }
  /** The one that is `count` snapshots behind the latest. */
  | { readonly kind: 'behind'; readonly count: number }
  /** The one that was current at a time, in Unix seconds. */
  | { readonly kind: 'time'; readonly time: number }
  /** The one that was current that many seconds ago. */
  | { readonly kind: 'ago'; readonly seconds: number };

/** One interpretation of an expression: an environment, and which of its snapshots. */
export interface SnapshotReading {
  readonly environment: string;
  readonly selector: SnapshotSelector;
}

/** A parsed expression, or why the text is not one. */
export type SnapshotExpression =
  | {
      /** The possible interpretations. The first one whose environment exists counts: `prod2` may be an environment. */
      readonly readings: readonly [SnapshotReading, ...SnapshotReading[]];
    }
  | { readonly problem: string };

const name = '[a-zA-Z0-9][a-zA-Z0-9.\\-_]*';
const markedExpression = new RegExp(`^(${name})([#~@])(.*)$`, 'u');
const intervalEnd = new RegExp(`^(${name})?([#~@])(.*)$`, 'u');
const bareName = new RegExp(`^${name}$`, 'u');

/**
 * Parses `env` (latest), `env#N` (exactly N), `envN` and `env~N` (N behind the latest), `env@{…}` (at a time: ISO 8601,
 * or `2.hours.ago`).
 */
export function parseSnapshotExpression(text: string): SnapshotExpression {
  const [, environment, mark, rest] = markedExpression.exec(text) ?? [];
  if (environment !== undefined && mark !== undefined && rest !== undefined) {
    const selector = parseMarked(mark, rest);
    return 'problem' in selector ? selector : { readings: [{ environment, selector }] };
  }
  if (!bareName.test(text)) return { problem: 'it does not start with the name of an environment' };
  return { readings: [{ environment: text, selector: { kind: 'latest' } }, ...behindReadings(text)] };
}

/** `prod12` can be 2 behind the latest of `prod1`, or 12 behind the latest of `prod`; longer names first. */
function behindReadings(text: string): readonly SnapshotReading[] {
  const digits = /[0-9]{0,9}$/u.exec(text)?.[0].length ?? 0;
  return Array.from({ length: Math.min(digits, text.length - 1) }, (_, index): SnapshotReading => ({
    environment: text.slice(0, -1 - index),
    selector: { kind: 'behind', count: Number(text.slice(-1 - index)) },
  }));
}

function parseMarked(mark: string, rest: string): SnapshotSelector | { readonly problem: string } {
  switch (mark) {
    case '#':
      return /^[1-9][0-9]{0,8}$/u.test(rest)
        ? { kind: 'number', number: Number(rest) }
        : { problem: 'after # there must be the number of a snapshot, from 1' };
    case '~':
      return /^[0-9]{1,9}$/u.test(rest)
        ? { kind: 'behind', count: Number(rest) }
        : { problem: 'after ~ there must be a number: how many behind the latest' };
    default:
      return parseTime(rest);
  }
}

const secondsPerUnit: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};

function parseTime(rest: string): SnapshotSelector | { readonly problem: string } {
  const [, inner] = /^\{(.*)\}$/u.exec(rest) ?? [];
  const [, count, unit = ''] = /^([0-9]{1,6})\.(second|minute|hour|day|week)s?\.ago$/u.exec(inner ?? '') ?? [];
  if (count !== undefined) return { kind: 'ago', seconds: Number(count) * (secondsPerUnit[unit] ?? 0) };
  const time = inner === undefined ? undefined : isoSeconds(inner);
  if (time !== undefined) return { kind: 'time', time };
  return { problem: 'after @ there must be a time in braces: {2026-10-02T12:00:00} or {2.hours.ago}' };
}

/** Parses a number with a unit, `1hour` or `2 days`, to seconds; undefined if it is neither. */
export function parseSecondsAgo(text: string): number | undefined {
  const [, count, unit = ''] = /^([0-9]{1,6}) ?(second|minute|hour|day|week)s?$/u.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (secondsPerUnit[unit] ?? 0);
}

const iso = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/u;

/** Parses a time in ISO 8601 to Unix seconds; without a zone it is UTC. Undefined if it is not a valid time. */
export function isoSeconds(text: string): number | undefined {
  const [, date] = iso.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const zoned = !text.includes('T') || /(?:Z|[+-]\d{2}:\d{2})$/u.test(text) ? text : `${text}Z`;
  const milliseconds = Date.parse(zoned);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

/** Checks the day, because JavaScript parses February 30 as March 2. */
function isDate(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}

/** A parsed interval from one snapshot to another, both included, or why the text is not one. */
export type SnapshotInterval =
  { readonly from: SnapshotSelector; readonly to: SnapshotSelector } | { readonly problem: string };

/**
 * Parses an interval (interface, operation 12): two selectors separated by `..`: `3..7`, `#3..#7`, `~5..NOW`,
 * `@{…}..NOW`. `NOW` by itself is the latest. Each may also name the environment, which is in the URL already:
 * `prod#3..prod#7`.
 *
 * @param environment the environment in the URL; undefined if it does not matter which one is named
 */
export function parseSnapshotInterval(text: string, environment?: string): SnapshotInterval {
  // The public client sends NOW by itself for the latest snapshot.
  if (isNow(text)) return { from: { kind: 'latest' }, to: { kind: 'latest' } };
  const parts = text.split('..');
  const [from, to] = parts;
  if (from === undefined || to === undefined || parts.length !== 2) {
    return { problem: 'it must be two snapshots with `..` in between, such as 3..7 or ~5..NOW' };
  }
  const first = parseIntervalEnd(from, environment);
  const last = parseIntervalEnd(to, environment);
  if ('problem' in first) return first;
  if ('problem' in last) return last;
  return isReversed(first, last) ? { problem: 'it must not end before it begins' } : { from: first, to: last };
}

/** Whether the interval is certainly empty, as far as can be told without looking up any snapshot. */
function isReversed(from: SnapshotSelector, to: SnapshotSelector): boolean {
  if (from.kind === 'number' && to.kind === 'number') return from.number > to.number;
  if (from.kind === 'time' && to.kind === 'time') return from.time > to.time;
  if (from.kind === 'ago' && to.kind === 'ago') return from.seconds < to.seconds;
  const behind = countBehind(to);
  return behind !== undefined && (countBehind(from) ?? behind) < behind;
}

/** How many snapshots the selected one is behind the latest; undefined if that depends on the snapshots. */
function countBehind(selector: SnapshotSelector): number | undefined {
  if (selector.kind === 'latest') return 0;
  return selector.kind === 'behind' ? selector.count : undefined;
}

function isNow(text: string): boolean {
  return text.toUpperCase() === 'NOW';
}

function parseIntervalEnd(
  text: string,
  environment: string | undefined,
): SnapshotSelector | { readonly problem: string } {
  if (isNow(text)) return { kind: 'latest' };
  if (/^[1-9][0-9]{0,8}$/u.test(text)) return { kind: 'number', number: Number(text) };
  const [, named = environment, mark, rest] = intervalEnd.exec(text) ?? [];
  if (mark === undefined || rest === undefined) {
    return { problem: `${JSON.stringify(text)} is neither a number, ~N, @{…} nor NOW` };
  }
  return named === environment || environment === undefined
    ? parseMarked(mark, rest)
    : { problem: `${JSON.stringify(text)} selects a snapshot of ${named}, not of ${environment}` };
}
