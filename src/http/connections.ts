import type { Dispatcher } from 'undici';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import type { ConnectSettings } from './connection-settings.ts';
import { type ProxySettings, proxySettings } from './proxy-settings.ts';

/** The connections of a transport, through the proxies of the environment. undici pools them by origin, or by proxy. */
export class Connections {
  readonly #proxies: ProxySettings | undefined;
  readonly #closing = new AbortController();
  readonly #connect: ConnectSettings = { timeout: 0, signal: this.#closing.signal };
  /** Opened at their first use. */
  #direct: Promise<Dispatcher> | undefined;
  #proxied: Promise<Dispatcher> | undefined;
  readonly #opened = new Set<Dispatcher>();
  #idle: Promise<void> | undefined;

  /** @throws UserError if HTTP_PROXY or HTTPS_PROXY is not a valid proxy URL */
  constructor(environment: EnvironmentVariables) {
    this.#proxies = proxySettings(environment);
  }

  /** Returns the dispatcher that sends a request to this address. */
  async acquire(url: URL): Promise<Dispatcher> {
    await this.#idle;
    const dispatcher = await (this.#proxies === undefined || proxyFor(this.#proxies, url) === ''
      ? (this.#direct ??= openDirect(this.#connect))
      : (this.#proxied ??= openProxied(this.#proxies, this.#connect)));
    this.#opened.add(dispatcher);
    return dispatcher;
  }

  /**
   * Must be called when a connection was not made in time: undici would keep it as one of at most eight. Requests in
   * flight continue.
   */
  renew(): void {
    this.#direct = undefined;
    this.#proxied = undefined;
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

  /** Closes all connections, so that the process can end. */
  async close(): Promise<void> {
    // `close` would wait for requests whose deadline has passed. `destroy` leaves sockets that are still connecting,
    // which the signal ends.
    await Promise.all(Array.from(this.#opened, (dispatcher) => dispatcher.destroy()));
    this.#closing.abort();
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
