import { LRUCache } from 'lru-cache';
import { isRecent, type Now } from '../../../runtime/clock.ts';
import { isMapping, listAt, textAt } from '../../../runtime/untrusted-data.ts';
import type { FetchJson } from './fetch-json.ts';

/** The members of a key that verifying a signature needs (RFC 7517; RFC 7518, section 6). */
const keyMembers = ['kid', 'kty', 'crv', 'n', 'e', 'x', 'y', 'alg', 'use'] as const;

/** A public key of an issuer, as in its key set (RFC 7517). */
export type IssuerKey = Readonly<Partial<Record<(typeof keyMembers)[number], string>>>;

/** The maximum age of cached keys, in milliseconds. A key that the issuer has withdrawn is accepted this long. */
const maximumAge = 10 * 60_000;
/** The minimum time between requests for unknown keys, in milliseconds: clients can send any key id. */
const cooldown = 30_000;
/** The minimum time between a failed request and the next one, in milliseconds. */
const failureCooldown = 5000;
/** The maximum number of keys of an issuer. GitHub has fewer than ten. */
const maximumKeys = 100;
/** How much memory the cached keys may take, in bytes. */
const maximumBytes = 8 * 1024 * 1024;
/** The memory that an issuer takes, and each of its keys, besides their texts, in bytes. */
const [bytesOfIssuer, bytesOfKey] = [4000, 1000];
/** The maximum number of tokens that wait for the keys of an issuer at the same time: anybody can send some. */
const maximumWaiting = 500;

/** The keys of an issuer cannot be fetched. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
  /** The same error until the issuer is asked again. */
  override readonly cause: Error;
  /** When to try again, in seconds from now. */
  readonly retryAfter: number;

  constructor(retryAfter: number, cause: Error) {
    super('the keys of the issuer cannot be fetched');
    this.cause = cause;
    this.retryAfter = retryAfter;
  }
}

interface Entry {
  /** Undefined if no request has succeeded. */
  readonly keys: readonly IssuerKey[] | undefined;
  /** When the keys were fetched, in milliseconds. */
  readonly fetchedAt: number;
  /** The time of the latest request, in milliseconds. */
  readonly askedAt: number;
  /** Why that request failed; undefined if it succeeded. */
  readonly failure: Error | undefined;
}

interface RunningRequest {
  /** Never rejects. */
  readonly entry: Promise<Entry>;
  /** The cause of the errors of tokens that do not wait for it. */
  readonly tooMany: Error;
  waiting: number;
}

/**
 * The keys of token issuers, found by OpenID Connect Discovery. They are cached, and fetched again when they are old or
 * a token names an unknown one, because issuers rotate them.
 */
export class IssuerKeys {
  readonly #fetchJson: FetchJson;
  readonly #now: Now;
  /** By issuer. */
  readonly #entries = new LRUCache<string, Entry>({ maxSize: maximumBytes, sizeCalculation: measureEntry });
  readonly #running = new Map<string, RunningRequest>();

  constructor(fetchJson: FetchJson, now: Now) {
    this.#fetchJson = fetchJson;
    this.#now = now;
  }

  /**
   * Returns the keys of an issuer.
   *
   * @param keyId the key that a token names; the keys are fetched again if it is unknown
   * @throws IssuerUnavailableError
   */
  async find(issuer: string, keyId: string | undefined): Promise<readonly IssuerKey[]> {
    const known = this.#entries.get(issuer);
    if (known !== undefined && this.#hasKey(known, keyId)) return known.keys ?? [];
    const entry = known !== undefined && this.#wasJustAsked(known) ? known : await this.#fetchOnce(issuer);
    if (entry.failure === undefined || this.#hasKey(entry, keyId)) return entry.keys ?? [];
    const left = failureCooldown - (this.#now() - entry.askedAt);
    throw new IssuerUnavailableError(Math.max(1, Math.ceil(left / 1000)), entry.failure);
  }

  /** Whether the key is known, and was fetched not too long ago. */
  #hasKey({ keys, fetchedAt }: Entry, keyId: string | undefined): boolean {
    return isRecent(fetchedAt, maximumAge, this.#now()) && keys?.some(({ kid }) => kid === keyId) === true;
  }

  #wasJustAsked({ askedAt, failure }: Entry): boolean {
    return isRecent(askedAt, failure === undefined ? cooldown : failureCooldown, this.#now());
  }

  /** Whether the issuer was asked before. */
  isKnown(issuer: string): boolean {
    return this.#entries.has(issuer) || this.#running.has(issuer);
  }

  /**
   * Fetches the keys. Concurrent calls share a request.
   *
   * @throws IssuerUnavailableError if too many calls wait for it
   */
  #fetchOnce(issuer: string): Promise<Entry> {
    const running = this.#running.get(issuer) ?? {
      entry: this.#fetch(issuer),
      tooMany: new Error(`${maximumWaiting} tokens wait for its answer already`),
      waiting: 0,
    };
    this.#running.set(issuer, running);
    if (running.waiting >= maximumWaiting) throw new IssuerUnavailableError(1, running.tooMany);
    running.waiting += 1;
    return running.entry;
  }

  async #fetch(issuer: string): Promise<Entry> {
    const entry = await this.#ask(issuer);
    this.#running.delete(issuer);
    this.#entries.set(issuer, entry);
    return entry;
  }

  /** Never rejects. */
  async #ask(issuer: string): Promise<Entry> {
    try {
      const keys = await this.#fetchKeys(issuer);
      return { keys, fetchedAt: this.#now(), askedAt: this.#now(), failure: undefined };
    } catch (thrown) {
      const known = this.#entries.get(issuer);
      const failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      // The cached keys stay valid until they reach the maximum age.
      return { keys: known?.keys, fetchedAt: known?.fetchedAt ?? 0, askedAt: this.#now(), failure };
    }
  }

  async #fetchKeys(issuer: string): Promise<readonly IssuerKey[]> {
    const discovered = await this.#fetchJson(new URL(`${issuer.replace(/\/$/u, '')}/.well-known/openid-configuration`));
    // OpenID Connect Discovery 1.0, section 4.3.
    if (textAt(discovered, 'issuer') !== issuer) throw new Error('its configuration names another issuer');
    const url = URL.parse(textAt(discovered, 'jwks_uri') ?? '');
    // The keys decide whom the service trusts: they must come from the issuer itself.
    if (url?.origin !== new URL(issuer).origin) throw new Error('its keys are not at its own address');
    const keys = listAt(await this.#fetchJson(url), 'keys')
      .filter(isMapping)
      .map(toIssuerKey);
    if (keys.length === 0) throw new Error('it has no keys');
    if (keys.length > maximumKeys) throw new Error(`it has more than ${maximumKeys} keys`);
    return keys;
  }
}

/** Leaves out everything else of the document: the rest of a key can be large, and certificates are not used. */
function toIssuerKey(key: Readonly<Record<string, unknown>>): IssuerKey {
  return Object.fromEntries(keyMembers.flatMap((name) => (typeof key[name] === 'string' ? [[name, key[name]]] : [])));
}

function measureEntry({ keys = [], failure }: Entry, issuer: string): number {
  const texts = [issuer, failure?.message ?? '', ...keys.flatMap((key) => Object.values(key))];
  return texts.reduce((bytes, text) => bytes + 2 * text.length, bytesOfIssuer + keys.length * bytesOfKey);
}
