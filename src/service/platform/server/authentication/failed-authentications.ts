import { isIPv4, isIPv6 } from 'node:net';
import { type After, isRecent, type Now } from '../../../../runtime/clock.ts';
import type { ServiceLog } from '../../../../runtime/log.ts';
import type { AuditedFailure, FailureAudit } from '../../../audit/background/failure-audit.ts';
import { LimitedLog } from '../../limited-log.ts';

/**
 * Logging and throttling of failed authentications.
 *
 * The secret is always compared first, and a correct one is never throttled. Key ids are public, so anyone who knows
 * one could otherwise lock its owner out, and many clients can share one address. The throttle therefore does not limit
 * the number of guesses. It does not have to: a secret has at least 32 characters and cannot be guessed. It limits the
 * size of the log and the load from clients that repeat a wrong key, and the operator sees that someone is guessing.
 */

export interface RequestOrigin {
  /** The peer of the connection: the client, or the proxy in front of the service. */
  readonly address: string;
  /** The client according to the proxy. Not trustworthy: anyone can send this header. */
  readonly forwardedFor: string | undefined;
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
}

export interface FailedAuthentication {
  /** The organization of the key, or of the path; undefined if there is none. It may not exist. */
  readonly org?: string | undefined;
  /** The key that was used, if it exists: `key <id>` or `the administration key`. */
  readonly key?: string | undefined;
  /** The id that was sent, if no key has it; undefined if the credential is not a key. */
  readonly unknownId?: string | undefined;
  /** Default: `authentication_failed`. */
  readonly type?: AuditedFailure['type'];
  /** What is wrong, as a predicate: `has a wrong secret`. */
  readonly reason: string;
  /** The status of the answer, unless the failure is throttled. Default: 401. */
  readonly status?: number;
  readonly origin: RequestOrigin;
}

/** Length of a counting window, in milliseconds. */
const windowLength = 60_000;
/** Wrong secrets for an existing key within a window, before they are throttled. */
const failuresPerKey = 10;
/** Unknown keys from a network within a window. Many clients can share an address behind a proxy or NAT. */
const failuresPerNetwork = 300;
/** The maximum number of keys and networks that are counted at the same time. */
const maximumCounters = 10_000;

interface Window {
  readonly begun: number;
  count: number;
}

export class FailedAuthentications {
  readonly #now: Now;
  readonly #log: LimitedLog;
  readonly #audit: Pick<FailureAudit, 'note'>;
  /** In the order of their latest failure, the oldest first. */
  readonly #counters = new Map<string, Window>();

  constructor({
    now,
    after,
    log,
    audit,
  }: {
    readonly now: Now;
    readonly after: After;
    readonly log: Pick<ServiceLog, 'info'>;
    readonly audit: Pick<FailureAudit, 'note'>;
  }) {
    this.#now = now;
    this.#log = new LimitedLog(
      { now, after, log },
      (count) => `${count} more failed authentications were not logged separately`,
    );
    this.#audit = audit;
  }

  /**
   * Counts a failure against its key or network, and logs it.
   *
   * @returns the seconds until the next attempt if there were too many failures, else undefined.
   */
  count(failure: FailedAuthentication): number | undefined {
    const { key, origin } = failure;
    const [counter, limit] =
      key === undefined
        ? ([`network ${toNetwork(origin.address)}`, failuresPerNetwork] as const)
        : ([key, failuresPerKey] as const);
    const now = this.#now();
    const window = this.#countIn(counter, now);
    const isThrottled = window.count > limit;
    this.report(failure, isThrottled);
    return isThrottled ? Math.max(1, Math.ceil((window.begun + windowLength - now) / 1000)) : undefined;
  }

  /** Audits a failure, and logs it unless the window has too many already. */
  report(failure: FailedAuthentication, isThrottled = false): void {
    const audited = toAuditedFailure(failure);
    if (audited !== undefined) this.#audit.note(audited);
    this.#log.info(describe(failure, isThrottled));
  }

  /** Writes the pending summary. */
  stop(): void {
    this.#log.stop();
  }

  #countIn(counter: string, now: number): Window {
    const known = this.#counters.get(counter);
    this.#counters.delete(counter);
    const window = known !== undefined && isRecent(known.begun, windowLength, now) ? known : { begun: now, count: 0 };
    window.count += 1;
    this.#counters.set(counter, window);
    for (const oldest of this.#counters.keys()) {
      if (this.#counters.size <= maximumCounters) break;
      this.#counters.delete(oldest);
    }
    return window;
  }
}

/**
 * The network of an address: the IPv4 address itself, or the /64 of an IPv6 address, which one subscriber has. Some proxies
 * add the client's port to X-Forwarded-For (`203.0.113.7:50000`), which is left out.
 */
export function toNetwork(address: string): string {
  const host = address.replace(/^\[(.*)\](?::\d+)?$/u, '$1').replace(/^(?:::ffff:)?([\d.]+)(?::\d+)?$/iu, '$1');
  if (!isIPv6(host)) return host;
  const [left = '', right] = host.split('%', 1)[0]?.split('::') ?? [];
  const groups = (text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : text.split(':');
  const [head, tail] = [groups(left), groups(right)];
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function describe(failure: FailedAuthentication, isThrottled: boolean): string {
  const { key, unknownId, reason, origin } = failure;
  const { address, forwardedFor, method, path } = origin;
  const client = forwardedFor === undefined ? address : `${address} (forwarded for ${forwardedFor})`;
  const status = isThrottled ? 429 : (failure.status ?? 401);
  return `failed authentication: ${describeKey({ key, unknownId })} ${reason}; from ${client}; ${method} ${printable(path)}: ${status}`;
}

/**
 * Names the key that was used. An unknown id is named only if it looks like a generated one: another text may be part
 * of a secret, from a key pasted without its beginning.
 */
function describeKey({ key, unknownId }: Pick<FailedAuthentication, 'key' | 'unknownId'>): string {
  if (key !== undefined) return key;
  if (unknownId === undefined) return 'what was sent';
  return /^[0-9a-f]{16}$/.test(unknownId) ? `unknown key ${unknownId}` : 'an unknown key';
}

/** What the audit log records about a failure; undefined if it is about no organization. */
function toAuditedFailure(failure: FailedAuthentication): AuditedFailure | undefined {
  const { org, key, unknownId, reason, origin, type = 'authentication_failed' } = failure;
  if (org === undefined) return undefined;
  const { address, forwardedFor: client, method, path } = origin;
  return {
    ...{ org, type },
    subject: describeKey({ key, unknownId }),
    details: {
      ...{ reason, address, request: `${method} ${printable(path)}` },
      ...(client === undefined ? {} : { forwarded_for: client }),
    },
  };
}

const maximumPathLength = 200;

/** One line of printable ASCII. */
function printable(path: string): string {
  const line = path.replace(/[^!-~]/g, '?');
  return line.length <= maximumPathLength ? line : `${line.slice(0, maximumPathLength)}…`;
}

/** The client according to the nearest proxy (`X-Forwarded-For`); undefined if there is none. */
export function forwardedFor(header: string | readonly string[] | undefined): string | undefined {
  const last = [header].flat().at(-1)?.split(',').at(-1)?.trim() ?? '';
  return isIPv4(last) || isIPv6(last) ? last : undefined;
}
