import type { Dispatcher } from 'undici';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import { proxySettings, type ProxySettings } from './proxy-settings.ts';

/** The connections of a transport, which undici pools: by origin, or by proxy. */
export interface Connections {
  /** What a request to an address is sent with. */
  acquire(url: URL): Promise<Dispatcher>;
  /** Call it when a request has ended: its connection is idle then, and the next request uses it again. */
  release(): void;
  /**
   * Takes a dispatcher out of use, because it did not connect in time: another attempt must not wait for the same
   * connection. What is still under way on it goes on.
   */
  discard(dispatcher: Dispatcher): void;
  /** Closes all connections, so that the process can end. */
  close(): Promise<void>;
}

/** How many connections to one origin are open at most; asking for more at the same time gains nothing. */
export const maximumConnections = 8;

/** How undici is to connect: without a deadline of its own. Deadlines are the caller's: one for connecting, headers and body. */
export interface ConnectSettings {
  readonly timeout: 0;
  readonly signal: AbortSignal;
}

/**
 * Opens connections by way of the environment's proxies.
 *
 * @throws UserError where the environment names a proxy that is none.
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
      // undici takes a connection for idle in the turn after the answer. Asked before, its pool would open another one.
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

/** A dispatcher that is opened at its first use, and those that were in its place before. */
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
    // Not `close` of the dispatchers, which waits for requests that a deadline has already given up; and not `destroy`
    // alone, which leaves a socket that is still connecting to keep the process alive.
    await Promise.all(Array.from(this.#opened, (dispatcher) => dispatcher.destroy()));
    this.#opened.clear();
    this.#opening = undefined;
  }
}

function proxyFor(proxies: ProxySettings, url: URL): string {
  return url.protocol === 'https:' ? proxies.httpsProxy : proxies.httpProxy;
}

async function openDirect(connect: ConnectSettings): Promise<Dispatcher> {
  // Loaded here, in the bundle's own file: every step needs it, and before it the mistakes are found.
  const { createAgent } = await import(/* webpackMode: "eager" */ './agent.ts');
  return createAgent(connect);
}

async function openProxied(proxies: ProxySettings, connect: ConnectSettings): Promise<Dispatcher> {
  const { createProxyAgent } = await import('./proxy-agent.ts');
  return createProxyAgent(proxies, connect);
}
