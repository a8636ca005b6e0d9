import { isIPv4, isIPv6 } from 'node:net';
import type { After, Now } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';

/**
 * Failed authentications: their log, and the throttle of those who cause them.
 *
 * The secret is always compared first, and a right one is never throttled: ids of keys are public, so whoever knows one could
 * otherwise lock its owner out, and many honest clients share one address. The throttle therefore does not bound the number
 * of guesses. It need not: a secret has 32 characters or more and cannot be guessed. What the two do bound is the log, which a
 * flood must not fill, and the work of clients that repeat a wrong key; and the operator sees that someone guesses.
 */

/** Where a request comes from and goes to. */
export interface RequestOrigin {
  /** The peer of the connection: the client, or the proxy in front of the service. */
  readonly address: string;
  /** What the proxy says about the client; anyone can send this. */
  readonly forwardedFor: string | undefined;
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
}

/** A failed authentication. */
export interface FailedAuthentication {
  /** The key that was tried, if there is one: `key <id>` or `the administration key`. */
  readonly key?: string | undefined;
  /** The id that was sent, if there is no such key; undefined if nothing like a key was sent. */
  readonly unknownId?: string | undefined;
  /** What is wrong with it: `has a wrong secret`. */
  readonly reason: string;
  readonly origin: RequestOrigin;
}

/** How long failures are counted together, in milliseconds. */
const windowLength = 60_000;
/** How many wrong secrets a known key may get within a window before they are throttled. */
const failuresPerKey = 10;
/** How many unknown keys may come from a network within a window: behind a proxy or NAT many clients share an address. */
const failuresPerNetwork = 300;
/** How many keys and networks are counted at once. */
const maximumCounters = 10_000;
/** How many failures are logged one by one within a window. */
const maximumLines = 60;

interface Window {
  readonly begun: number;
  count: number;
}

/** Counts and logs failed authentications. */
export class FailedAuthentications {
  readonly #now: Now;
  readonly #after: After;
  readonly #log: Pick<ServiceLog, 'info'>;
  /** The one that failed longest ago comes first. */
  readonly #counters = new Map<string, Window>();
  #lines: Window;
  #cancelSummary: (() => void) | undefined;

  constructor({
    now,
    after,
    log,
  }: {
    readonly now: Now;
    readonly after: After;
    readonly log: Pick<ServiceLog, 'info'>;
  }) {
    this.#now = now;
    this.#after = after;
    this.#log = log;
    this.#lines = { begun: now(), count: 0 };
  }

  /**
   * Records a failure that counts against its key or network.
   *
   * @returns the seconds after which to try again if there were too many; undefined otherwise.
   */
  count(failure: FailedAuthentication): number | undefined {
    const { key, origin } = failure;
    const [counter, limit] =
      key === undefined
        ? ([`network ${toNetwork(origin.address)}`, failuresPerNetwork] as const)
        : ([key, failuresPerKey] as const);
    const now = this.#now();
    const window = this.#counted(counter, now);
    const isThrottled = window.count > limit;
    this.report(failure, isThrottled);
    return isThrottled ? Math.max(1, Math.ceil((window.begun + windowLength - now) / 1000)) : undefined;
  }

  /** Logs a failure, unless the window has had too many. */
  report(failure: FailedAuthentication, isThrottled = false): void {
    const now = this.#now();
    if (!isCurrent(this.#lines, now)) this.#beginLines(now);
    this.#lines.count += 1;
    if (this.#lines.count <= maximumLines) this.#log.info(describe(failure, now, isThrottled));
    // The summary must come even if nothing fails any more.
    else
      this.#cancelSummary ??= this.#after(this.#lines.begun + windowLength - now, () => {
        this.#beginLines(this.#now());
      });
  }

  /** Writes what is left to say. */
  stop(): void {
    this.#beginLines(this.#now());
  }

  #counted(counter: string, now: number): Window {
    const known = this.#counters.get(counter);
    this.#counters.delete(counter);
    const window = known !== undefined && isCurrent(known, now) ? known : { begun: now, count: 0 };
    window.count += 1;
    this.#counters.set(counter, window);
    for (const oldest of this.#counters.keys()) {
      if (this.#counters.size <= maximumCounters) break;
      this.#counters.delete(oldest);
    }
    return window;
  }

  #beginLines(now: number): void {
    this.#cancelSummary?.();
    this.#cancelSummary = undefined;
    const left = this.#lines.count - maximumLines;
    this.#lines = { begun: now, count: 0 };
    if (left > 0)
      this.#log.info(`${renderTimestamp(now)} ${left} more failed authentications were not logged separately`);
  }
}

/** A clock that was set back begins a new window. */
function isCurrent({ begun }: Window, now: number): boolean {
  return now >= begun && now - begun < windowLength;
}

/** The network of an address: an IPv4 address itself, and of an IPv6 address the /64 that one subscriber has. */
export function toNetwork(address: string): string {
  const v4 = /^::ffff:(?<v4>[\d.]+)$/i.exec(address)?.groups?.['v4'] ?? address;
  if (!isIPv6(v4)) return v4;
  const [left = '', right] = v4.split('%', 1)[0]?.split('::') ?? [];
  const groups = (text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : text.split(':');
  const [head, tail] = [groups(left), groups(right)];
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function describe({ key, unknownId, reason, origin }: FailedAuthentication, now: number, isThrottled: boolean): string {
  const { address, forwardedFor, method, path } = origin;
  const subject = key ?? (unknownId === undefined ? 'what was sent' : loggable(unknownId));
  const client = forwardedFor === undefined ? address : `${address} (forwarded for ${forwardedFor})`;
  const status = isThrottled ? 429 : 401;
  return `${renderTimestamp(now)} failed authentication: ${subject} ${reason}; from ${client}; ${method} ${printable(path)}: ${status}`;
}

/**
 * The unknown id, if it has the form of those that the service makes. Any other may be a part of a secret, from a key that was
 * pasted without its beginning.
 */
function loggable(id: string): string {
  return /^[0-9a-f]{16}$/.test(id) ? `unknown key ${id}` : 'an unknown key';
}

const longestPath = 200;

/** One line of printable ASCII, whatever was sent. */
function printable(path: string): string {
  const line = path.replace(/[^!-~]/g, '?');
  return line.length <= longestPath ? line : `${line.slice(0, longestPath)}…`;
}

function renderTimestamp(now: number): string {
  return new Date(now).toISOString();
}

/** The client that the nearest proxy names; undefined if it names none. */
export function forwardedFor(header: string | readonly string[] | undefined): string | undefined {
  const last = [header].flat().at(-1)?.split(',').at(-1)?.trim() ?? '';
  return isIPv4(last) || isIPv6(last) ? last : undefined;
}
