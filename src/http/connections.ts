import type { Dispatcher } from 'undici';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import type { ConnectSettings } from './connection-settings.ts';
import { proxySettings, type ProxySettings } from './proxy-settings.ts';

/** The connections of a transport. undici pools them by origin, or by proxy. */
export interface Connections {
  /** Returns the dispatcher that sends a request to this address. */
  acquire(url: URL): Promise<Dispatcher>;
  /** Must be called when a request has ended, so that the next request reuses its connection. */
  release(): void;
  /**
   * Stops using a dispatcher that did not connect in time, so that the next attempt does not wait for the same
   * connection. Requests in flight continue.
   */
  discard(dispatcher: Dispatcher): void;
  /** Closes all connections, so that the process can end. */
  close(): Promise<void>;
}

/**
 * Opens connections, through the proxies of the environment if it names any.
 *
 * @throws UserError if HTTP_PROXY or HTTPS_PROXY is not a valid proxy URL
 */
export function createConnections(environment: EnvironmentVariables): Connections {
  const proxies = proxySettings(environment);
  const closing = new AbortController();
  const connect: ConnectSettings = { timeout: 0, signal: closing.signal };
  const direct = new Slot(() => openDirect(connect));
  const proxied = proxies === undefined ? undefined : new Slot(() => openProxied(proxies, connect));
  let idle: Promise<void> | undefined;

  return {
    async acquire(url) {
      await idle;
      const isProxied = proxies !== undefined && proxyFor(proxies, url) !== '';
      return (isProxied ? (proxied ?? direct) : direct).open();
    },
    release() {
      // undici marks a connection idle only in the turn after the answer. Before that, its pool would open another one.
      idle ??= new Promise((resolve) => {
        setImmediate(() => {
          idle = undefined;
          resolve();
        });
      });
    },
    discard(dispatcher) {
      direct.discard(dispatcher);
      proxied?.discard(dispatcher);
    },
    async close() {
      await Promise.all([direct.close(), proxied?.close()]);
      closing.abort();
    },
  };
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
