import type { Dispatcher } from 'undici';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import { answeringConnector, connecting } from './connecting.ts';
import { proxySettings, type ProxySettings } from './proxy.ts';

/** One way to an origin: a connection of its own, or the proxies of the environment. */
export interface Route {
  readonly dispatcher: Promise<Dispatcher>;
  /** Ends everything on this way, attempts to connect included. */
  close(): Promise<void>;
}

/** The ways that are open. */
export interface Connections {
  /** Takes a way to an address: one that nobody uses, a new one, or where there are enough the one with the fewest users. */
  take(url: URL): Route;
  /** Gives a way back after a request. */
  giveBack(route: Route): void;
  /**
   * Takes a way out of use, because it did not connect in time: whoever tries again shall not wait for the same attempt.
   * What is still under way on it goes on.
   */
  giveUp(route: Route): void;
  /** Closes all of them, so that the process can end. */
  close(): Promise<void>;
}

/** How many connections to one origin are open at most; asking for more at the same time gains nothing. */
export const maximumConnections = 8;

/**
 * Opens connections by way of the environment's proxies. A client of undici is one connection, and its pool of many costs
 * each step's start more than the few lines that choose among clients here.
 *
 * @throws UserError where the environment names a proxy that is none.
 */
export function createConnections(environment: EnvironmentVariables): Connections {
  const proxies = proxySettings(environment);
  const routes = new Map<string, Route[]>();
  const givenUp = new Set<Route>();
  const users = new Map<Route, number>();

  function leastUsed(open: readonly Route[]): Route | undefined {
    return open.toSorted((one, other) => usersOf(one) - usersOf(other))[0];
  }

  function usersOf(route: Route): number {
    return users.get(route) ?? 0;
  }

  return {
    take(url) {
      const proxied = proxies !== undefined && proxyFor(proxies, url) !== '';
      const key = proxied ? 'proxied' : url.origin;
      // The agent for proxies keeps connections of its own.
      const most = proxied ? 1 : maximumConnections;
      const open = routes.get(key) ?? [];
      const known = leastUsed(open);
      const enough = known !== undefined && (usersOf(known) === 0 || open.length >= most);
      const route = enough
        ? known
        : openRoute((cancelled) => (proxied ? openProxied(proxies, cancelled) : openClient(key, cancelled)));
      if (!enough) routes.set(key, [...open, route]);
      users.set(route, usersOf(route) + 1);
      return route;
    },
    giveBack(route) {
      users.set(route, usersOf(route) - 1);
    },
    giveUp(route) {
      for (const [key, open] of routes) {
        routes.set(
          key,
          open.filter((known) => known !== route),
        );
      }
      givenUp.add(route);
    },
    async close() {
      const all = [...[...routes.values()].flat(), ...givenUp];
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

async function openClient(origin: string, cancelled: AbortSignal): Promise<Dispatcher> {
  // Loaded here, in the bundle's own file: every step needs it, and before it the mistakes are found.
  const { default: Client } = await import(/* webpackMode: "eager" */ 'undici/lib/dispatcher/client.js');
  const { default: buildConnector } = await import(/* webpackMode: "eager" */ 'undici/lib/core/connect.js');
  return new Client(origin, { connect: answeringConnector(buildConnector(connecting(cancelled))) });
}

async function openProxied(proxies: ProxySettings, cancelled: AbortSignal): Promise<Dispatcher> {
  const { createProxyAgent } = await import('./proxy-agent.ts');
  return createProxyAgent(proxies, cancelled);
}
