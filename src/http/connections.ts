import type { Dispatcher } from 'undici';
import type { Environment } from '../runtime/world.ts';
import { proxySettings, type ProxySettings } from './proxy.ts';

/** One way to an origin: directly, or through the proxies of the environment. */
export interface Route {
  readonly dispatcher: Promise<Dispatcher>;
  /** Ends everything on this way, attempts to connect included. */
  close(): Promise<void>;
}

/** The ways that are open. */
export interface Connections {
  /** The way to an address, opened at its first use and shared from then on. */
  routeTo(url: URL): Route;
  /**
   * Takes a way out of use, because it did not connect in time: whoever tries again shall not wait for the same attempt.
   * What is still under way on it goes on.
   */
  giveUp(route: Route): void;
  /** Closes all of them, so that the process can end. */
  close(): Promise<void>;
}

/**
 * Opens connections by way of the environment's proxies.
 *
 * @throws MistakeError where the environment names a proxy that is none.
 */
export function createConnections(environment: Environment): Connections {
  const proxies = proxySettings(environment);
  const routes = new Map<string, Route>();
  const givenUp = new Set<Route>();

  return {
    routeTo(url) {
      const proxied = proxies !== undefined && proxyFor(proxies, url) !== '';
      const key = proxied ? 'proxied' : url.origin;
      const known = routes.get(key);
      if (known !== undefined) return known;
      const route = openRoute((cancelled) => (proxied ? openProxied(proxies, cancelled) : openClient(key, cancelled)));
      routes.set(key, route);
      return route;
    },
    giveUp(route) {
      for (const [key, known] of routes) if (known === route) routes.delete(key);
      givenUp.add(route);
    },
    async close() {
      const all = [...routes.values(), ...givenUp];
      routes.clear();
      givenUp.clear();
      await Promise.all(all.map((route) => route.close()));
    },
  };
}

function proxyFor(proxies: ProxySettings, url: URL): string {
  return url.protocol === 'https:' ? proxies.httpsProxy : proxies.httpProxy;
}

function openRoute(open: (cancelled: AbortSignal) => Promise<Dispatcher>): Route {
  const closing = new AbortController();
  const dispatcher = open(closing.signal);
  return {
    dispatcher,
    async close() {
      // Not `close` of the dispatcher, which waits for requests that a deadline has already given up; and not `destroy`
      // alone, which leaves a socket that is still connecting to keep the process alive.
      await (await dispatcher).destroy();
      closing.abort();
    },
  };
}

/** Deadlines are the caller's: one for connecting, headers and body together. undici's own would cut in between. */
function connecting(signal: AbortSignal): { readonly timeout: 0; readonly signal: AbortSignal } {
  return { timeout: 0, signal };
}

async function openClient(origin: string, cancelled: AbortSignal): Promise<Dispatcher> {
  const { default: Client } = await import(/* webpackMode: "eager" */ 'undici/lib/dispatcher/client.js');
  return new Client(origin, { connect: connecting(cancelled) });
}

async function openProxied(proxies: ProxySettings, cancelled: AbortSignal): Promise<Dispatcher> {
  const { default: EnvHttpProxyAgent } = await import(
    /* webpackMode: "eager" */ 'undici/lib/dispatcher/env-http-proxy-agent.js'
  );
  const { default: Pool } = await import(/* webpackMode: "eager" */ 'undici/lib/dispatcher/pool.js');
  const { default: openTunnel } = await import(/* webpackMode: "eager" */ 'undici/lib/api/api-connect.js');
  const connect = connecting(cancelled);
  return new EnvHttpProxyAgent({
    ...proxies,
    connect,
    proxyTls: connect,
    requestTls: connect,
    // The agent asks its proxy for a tunnel by this method, which only the whole of undici puts on its dispatchers.
    clientFactory: (proxy, options) =>
      Object.assign(new Pool(proxy, { ...options, headersTimeout: 0 }), { connect: openTunnel }),
    // Plain http is forwarded, not tunnelled: many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
  });
}
