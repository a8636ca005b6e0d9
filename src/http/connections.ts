import type { Dispatcher } from 'undici';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import type { ConnectSettings } from './connection-settings.ts';
import { type ProxySettings, proxySettings } from './proxy-settings.ts';

/** The connections of a transport, through the proxies of the environment. undici pools them by origin, or by proxy. */
export class Connections {
  readonly #proxies: ProxySettings | undefined;
  readonly #closing = new AbortController();
  readonly #direct: Slot;
  readonly #proxied: Slot | undefined;
  #idle: Promise<void> | undefined;

  /** @throws UserError if HTTP_PROXY or HTTPS_PROXY is not a valid proxy URL */
  constructor(environment: EnvironmentVariables) {
    const proxies = proxySettings(environment);
    const connect: ConnectSettings = { timeout: 0, signal: this.#closing.signal };
    this.#proxies = proxies;
    this.#direct = new Slot(() => openDirect(connect));
    this.#proxied = proxies === undefined ? undefined : new Slot(() => openProxied(proxies, connect));
  }

  /** Returns the dispatcher that sends a request to this address. */
  async acquire(url: URL): Promise<Dispatcher> {
    await this.#idle;
    const isProxied = this.#proxies !== undefined && proxyFor(this.#proxies, url) !== '';
    return (isProxied ? (this.#proxied ?? this.#direct) : this.#direct).open();
  }

  /** Must be called when a request has ended, so that the next request reuses its connection. */
  release(): void {
    // undici marks a connection idle only in the turn after the answer. Before that, its pool would open another one.
    this.#idle ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#idle = undefined;
        resolve();
      });
    });
  }

  /**
   * Stops using a dispatcher that did not connect in time, so that the next attempt does not wait for the same
   * connection. Requests in flight continue.
   */
  discard(dispatcher: Dispatcher): void {
    this.#direct.discard(dispatcher);
    this.#proxied?.discard(dispatcher);
  }

  /** Closes all connections, so that the process can end. */
  async close(): Promise<void> {
    await Promise.all([this.#direct.close(), this.#proxied?.close()]);
    this.#closing.abort();
  }
}

/** A dispatcher that is opened at its first use, together with those that were discarded. */
class Slot {
  readonly #create: () => Promise<Dispatcher>;
  readonly #opened = new Set<Dispatcher>();
  #current: Dispatcher | undefined;
  #opening: Promise<Dispatcher> | undefined;

  constructor(create: () => Promise<Dispatcher>) {
    this.#create = create;
  }

  open(): Promise<Dispatcher> {
    return (this.#opening ??= this.#open());
  }

  async #open(): Promise<Dispatcher> {
    const dispatcher = await this.#create();
    this.#opened.add(dispatcher);
    this.#current = dispatcher;
    return dispatcher;
  }

  discard(dispatcher: Dispatcher): void {
    if (dispatcher === this.#current) this.#opening = undefined;
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    // `close` would wait for requests whose deadline has passed. `destroy` leaves sockets that are still connecting,
    // which the signal ends.
    await Promise.all(Array.from(this.#opened, (dispatcher) => dispatcher.destroy()));
    this.#opened.clear();
    this.#opening = undefined;
  }
}

function proxyFor(proxies: ProxySettings, url: URL): string {
  return url.protocol === 'https:' ? proxies.httpsProxy : proxies.httpProxy;
}

async function openDirect(connect: ConnectSettings): Promise<Dispatcher> {
  // Loaded late, so that mistakes in the inputs are reported sooner. In the bundle's first file, because every step
  // needs it.
  const { createAgent } = await import(/* webpackMode: "eager" */ './direct-agent.ts');
  return createAgent(connect);
}

async function openProxied(proxies: ProxySettings, connect: ConnectSettings): Promise<Dispatcher> {
  const { createProxyAgent } = await import('./proxy-agent.ts');
  return createProxyAgent(proxies, connect);
}
